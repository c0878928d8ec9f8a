// gfx900
  buffer_load_dword v2, off, s[0:3], 0
  buffer_load_dword v3, off, s[0:3], 0 offset:4 //^
  buffer_load_dword v4, off, s[0:3], 0 offset:8
  buffer_load_dword v5, off, s[0:3], 0 offset:12
  s_waitcnt vmcnt(3) //-
  s_waitcnt vmcnt(2) //+
  v_add_f32 v6, v2, v3 //~ read-before-load
  s_endpgm
