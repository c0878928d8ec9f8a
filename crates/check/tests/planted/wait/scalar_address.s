// gfx600 gfx900
  s_load_dwordx2 s[4:5], s[0:1], 0x0 //^
  s_waitcnt lgkmcnt(0) //+
  s_load_dword s6, s[4:5], 0x0 //~ read-before-load
  s_endpgm
