// gfx900
  ds_read_b32 v1, v0 //^
  s_load_dword s4, s[0:1], 0x0
  s_waitcnt lgkmcnt(1) //-
  s_waitcnt lgkmcnt(0) //+
  v_add_f32 v2, 1.0, v1 //~ read-before-load
  s_endpgm
