// gfx600 gfx700 gfx803 gfx900
  s_mov_b32 s0, 0 //~ no-instruction
  s_endpgm //+
