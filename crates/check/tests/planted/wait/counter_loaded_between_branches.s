// gfx900
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 over
  global_load_dword v2, v[0:1], off //^
over:
  s_load_dword s7, s[0:1], 0x0 //-
  s_load_dword s8, s[0:1], 0x0 //+
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 use
  s_waitcnt vmcnt(0)
use:
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
