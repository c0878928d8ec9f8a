// gfx900
  s_and_b32 s7, s6, 1
  s_cbranch_scc0 over
  global_load_dword v2, v[0:1], off //^
over:
  s_bitcmp1_b32 s6, 1 //-
  s_cbranch_scc0 use
  s_waitcnt vmcnt(0)
use:
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
