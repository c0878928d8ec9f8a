// gfx900
  buffer_atomic_add v1, off, s[0:3], 0 glc //^
  s_waitcnt vmcnt(0) //+
  v_add_u32 v2, 1, v1 //~ read-before-load
  s_endpgm
