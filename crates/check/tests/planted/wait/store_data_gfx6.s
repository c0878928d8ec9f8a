// gfx600
  buffer_store_dword v1, off, s[0:3], 0 //^
  s_waitcnt expcnt(0) //+
  v_mov_b32 v1, 0 //~ write-before-store
  s_endpgm
