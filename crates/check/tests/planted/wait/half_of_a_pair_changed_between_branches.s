// gfx803 gfx900 gfx90a
  s_cmp_eq_u64 s[8:9], 0
  s_cbranch_scc1 over
  s_mov_b32 m0, -1
  ds_read_b32 v2, v0 //^
over:
  s_add_u32 s9, s9, 1 //-
  s_cmp_lg_u64 s[8:9], 0
  s_cbranch_scc0 use
  s_waitcnt lgkmcnt(0)
use:
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
