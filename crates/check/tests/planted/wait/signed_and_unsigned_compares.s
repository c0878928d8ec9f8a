// gfx900
// A counter that is not 0 may be negative.
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc0 over
  global_load_dword v2, v[0:1], off //^
over:
  s_cmp_le_i32 s7, 0 //-
  s_cmp_le_u32 s7, 0 //+
  s_cbranch_scc1 use
  s_waitcnt vmcnt(0)
use:
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
