// gfx900
  s_call_b64 s[30:31], f
  v_add_f32 v3, 1.0, v2
  global_load_dword v2, v[0:1], off //^
  s_call_b64 s[30:31], f
  s_waitcnt vmcnt(0) //+
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
f:
  s_call_b64 s[34:35], g
  s_call_b64 s[34:35], g
  s_setpc_b64 s[30:31]
g:
  s_add_u32 s10, s10, 1
  s_setpc_b64 s[34:35]
