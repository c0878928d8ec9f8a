// gfx900
  exp pos0 v0, v1, v2, v3 //^
  exp param0 v4, v5, v6, v7
  s_waitcnt expcnt(1) //-
  s_waitcnt expcnt(0) //+
  v_mov_b32 v0, 0 //~ write-before-store
  s_endpgm
