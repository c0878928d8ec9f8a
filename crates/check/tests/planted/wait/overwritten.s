// gfx600 gfx700 gfx803 gfx900
  buffer_load_dwordx2 v[2:3], off, s[0:3], 0 //^
  s_waitcnt vmcnt(0) //+
  v_mov_b32 v3, 0 //~ write-before-load
  s_endpgm
