// gfx600 gfx900
  s_load_dword s4, s[0:1], 0x0 //^
  s_cbranch_scc0 over
  s_waitcnt lgkmcnt(0)
over:
  s_waitcnt lgkmcnt(0) //+
  s_add_u32 s5, s4, 1 //~ read-before-load
  s_endpgm
