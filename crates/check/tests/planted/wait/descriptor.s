// gfx600 gfx803 gfx900
  s_load_dwordx4 s[4:7], s[0:1], 0x0 //^
  s_waitcnt lgkmcnt(0) //+
  buffer_load_dword v1, off, s[4:7], 0 //~ read-before-load
  s_endpgm
