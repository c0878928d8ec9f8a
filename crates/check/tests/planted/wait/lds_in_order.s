// gfx900
  ds_read_b32 v1, v0
  ds_read_b32 v2, v0 offset:4 //^
  ds_read_b32 v3, v0 offset:8
  s_waitcnt lgkmcnt(2) //-
  s_waitcnt lgkmcnt(1) //+
  v_add_f32 v4, v1, v2 //~ read-before-load
  s_endpgm
