// gfx900
// Only the first call uses the register.
  s_mov_b32 s10, 0
  s_call_b64 s[30:31], f
  global_load_dword v2, v[0:1], off //^
  s_mov_b32 s10, 1 //+
  s_call_b64 s[30:31], f
  s_endpgm
f:
  s_cmp_eq_u32 s10, 1
  s_cbranch_scc1 over
  v_add_f32 v3, 1.0, v2 //~ read-before-load
over:
  s_setpc_b64 s[30:31]
