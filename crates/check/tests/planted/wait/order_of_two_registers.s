// gfx900
  s_cmp_lt_u32 s5, s6
  s_cbranch_scc0 over
  global_load_dword v2, v[0:1], off //^
over:
  s_cmp_gt_u32 s6, s5 //+
  s_cmp_ge_u32 s5, s4 //-
  s_cbranch_scc0 use
  s_waitcnt vmcnt(0)
use:
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
