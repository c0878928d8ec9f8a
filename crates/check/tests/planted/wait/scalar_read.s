// gfx600 gfx700 gfx803 gfx900
  s_load_dwordx2 s[4:5], s[0:1], 0x0 //^
  s_waitcnt lgkmcnt(0) //+
  s_add_u32 s6, s5, 1 //~ read-before-load
  s_endpgm
