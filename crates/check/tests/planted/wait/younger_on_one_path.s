// gfx900
  buffer_load_dword v2, off, s[0:3], 0 //^
  s_cbranch_scc0 over
  buffer_load_dword v3, off, s[0:3], 0 offset:4
over:
  s_waitcnt vmcnt(1) //-
  s_waitcnt vmcnt(0) //+
  v_add_f32 v4, 1.0, v2 //~ read-before-load
  s_endpgm
