// gfx900
  s_mov_b32 s6, s5
  s_cmp_eq_u32 s5, 0
  s_cbranch_scc1 over
  global_load_dword v2, v[0:1], off //^
over:
  v_readfirstlane_b32 s6, v5 //-
  v_readfirstlane_b32 s8, v5 //+
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 use
  s_waitcnt vmcnt(0)
use:
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
