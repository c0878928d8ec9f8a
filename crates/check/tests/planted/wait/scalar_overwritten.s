// gfx803 gfx900
  s_load_dword s4, s[0:1], 0x0 //^
  s_waitcnt lgkmcnt(0) //+
  s_mov_b32 s4, 0 //~ write-before-load
  s_endpgm
