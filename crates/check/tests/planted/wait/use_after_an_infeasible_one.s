// gfx900
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 over
  global_load_dword v2, v[0:1], off //^
over:
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 later
  v_add_f32 v3, 1.0, v2
later:
  s_waitcnt vmcnt(0) //+
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
