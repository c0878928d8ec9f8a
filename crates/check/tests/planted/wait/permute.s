// gfx803 gfx900
  ds_bpermute_b32 v1, v0, v2 //^
  s_waitcnt lgkmcnt(0) //+
  v_add_f32 v2, 1.0, v1 //~ read-before-load
  s_endpgm
