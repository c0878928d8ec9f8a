// gfx600 gfx700 gfx803 gfx900
  buffer_load_dword v2, off, s[0:3], 0 //^
  s_waitcnt lgkmcnt(0)
  s_waitcnt vmcnt(0) //+
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
