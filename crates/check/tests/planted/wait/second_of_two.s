// gfx600 gfx900
  buffer_load_dword v2, off, s[0:3], 0
  buffer_load_dword v3, off, s[0:3], 0 offset:4 //^
  s_waitcnt vmcnt(1)
  v_add_f32 v4, 1.0, v2
  s_waitcnt vmcnt(0) //+
  v_add_f32 v4, 1.0, v3 //~ read-before-load
  s_endpgm
