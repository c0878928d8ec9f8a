// gfx900
  s_call_b64 s[30:31], f
  s_waitcnt vmcnt(0) //+
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
f:
  s_sub_u32 s10, s10, 1
  s_cbranch_scc1 out
  s_call_b64 s[30:31], f
out:
  global_load_dword v2, v[0:1], off //^
  s_setpc_b64 s[30:31]
