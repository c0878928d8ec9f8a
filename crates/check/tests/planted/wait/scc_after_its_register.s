// gfx600 gfx900 gfx90a
// SCC keeps the outcome of a compare if the register changes.
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 over
  s_mov_b32 m0, -1
  ds_read_b32 v2, v0 //^
over:
  s_mov_b32 s7, s6 //+
  s_add_u32 s7, s7, s6 //-
  s_cbranch_scc1 use
  s_waitcnt lgkmcnt(0)
use:
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
