// gfx900
  s_mov_b32 m0, 0
  s_nop 0
  buffer_load_dword off, s[0:3], 0 lds //^
  s_waitcnt vmcnt(0) //+
  s_waitcnt lgkmcnt(0)
  s_barrier //~ barrier-before-write
  ds_read_b32 v2, v3
  s_endpgm
