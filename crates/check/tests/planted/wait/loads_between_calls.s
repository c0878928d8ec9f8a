// gfx900
// At the second call the load is older than at the first.
  global_load_dword v2, v[0:1], off
  s_call_b64 s[30:31], f
  global_load_dword v4, v[0:1], off offset:4 //^
  global_load_dword v5, v[0:1], off offset:8
  s_call_b64 s[30:31], f
  s_waitcnt vmcnt(2)
  v_add_f32 v3, 1.0, v2 //+
  v_add_f32 v3, 1.0, v4 //-~ read-before-load
  s_endpgm
f:
  s_add_u32 s10, s10, 1
  s_setpc_b64 s[30:31]
