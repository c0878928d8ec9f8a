// gfx600 gfx700 gfx803 gfx900
  s_mov_b32 m0, -1
  ds_write_b32 v0, v1 //^
  s_waitcnt lgkmcnt(0) //+
  s_barrier //~ barrier-before-write
  ds_read_b32 v2, v3
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v4, v2
  s_endpgm
