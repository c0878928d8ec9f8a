// gfx900
  ds_read_b32 v2, v0 //^
  s_waitcnt lgkmcnt(0) //+
  s_barrier //~ barrier-before-read
  ds_write_b32 v0, v1
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v4, v2
  s_endpgm
