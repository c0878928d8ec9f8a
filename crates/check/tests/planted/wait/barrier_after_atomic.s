// gfx900
  ds_add_u32 v0, v1 //^
  s_waitcnt lgkmcnt(0) //+
  s_barrier //~ barrier-before-write
  ds_read_b32 v2, v3
  s_endpgm
