// gfx900
// Of two loads, the younger cannot be in flight at the use without a wait; the older can.
  global_load_dword v2, v[0:1], off //^
  s_waitcnt vmcnt(0) //+
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 over
  global_load_dword v4, v[0:1], off
over:
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 use
  s_waitcnt vmcnt(0)
use:
  v_add_f32 v3, v4, v2 //~ read-before-load
  s_endpgm
