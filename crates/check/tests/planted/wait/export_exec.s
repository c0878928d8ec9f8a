// gfx600 gfx900
  exp mrt0 v0, v1, v2, v3 done vm //^
  s_waitcnt expcnt(0) //+
  s_mov_b64 exec, 0 //~ write-before-store
  s_endpgm
