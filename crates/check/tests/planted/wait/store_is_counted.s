// gfx700 gfx803 gfx900
  buffer_load_dword v2, off, s[0:3], 0 //^
  buffer_store_dword v9, off, s[4:7], 0
  s_waitcnt vmcnt(1) //+
  s_waitcnt vmcnt(2) //-
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
