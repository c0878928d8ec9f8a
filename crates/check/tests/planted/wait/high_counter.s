// gfx803
  s_mov_b32 s8, 0
  buffer_load_dword v2, off, s[0:3], 0 //^
  s_waitcnt vmcnt(15) //-
  s_waitcnt vmcnt(0) //+
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
