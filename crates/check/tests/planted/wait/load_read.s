// gfx700 gfx803 gfx900
  flat_load_dword v2, v[0:1] //^
  s_waitcnt vmcnt(0) lgkmcnt(0) //+
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
