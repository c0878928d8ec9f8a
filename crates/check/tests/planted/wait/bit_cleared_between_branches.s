// gfx600 gfx900 gfx90a
// Another bit of the register may change between branches on one bit, but not the bit itself.
  s_bitcmp1_b32 s7, 3
  s_cbranch_scc0 over
  s_mov_b32 m0, -1
  ds_read_b32 v2, v0 //^
over:
  s_bitset0_b32 s7, 4 //+
  s_bitset0_b32 s7, 3 //-
  s_bitcmp0_b32 s7, 3
  s_cbranch_scc1 use
  s_waitcnt lgkmcnt(0)
use:
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
