// gfx600 gfx700 gfx803 gfx900
  s_mov_b32 m0, -1
  ds_read_b32 v1, v0 //^
  s_waitcnt lgkmcnt(0) //+
  v_add_f32 v2, 1.0, v1 //~ read-before-load
  s_endpgm
