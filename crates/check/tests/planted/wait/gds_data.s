// gfx900
  s_mov_b32 m0, 0x10000
  s_nop 0
  ds_add_u32 v0, v1 gds //^
  s_waitcnt expcnt(0) //+
  v_mov_b32 v1, 0 //~ write-before-store
  s_endpgm
