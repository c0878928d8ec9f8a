// gfx900
// Of two loads, the older cannot be in flight at the use without a wait; the younger can.
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 over
  global_load_dword v2, v[0:1], off
over:
  global_load_dword v4, v[0:1], off //^
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 use
  s_waitcnt vmcnt(0)
use:
  s_waitcnt vmcnt(0) //+
  v_add_f32 v3, v4, v2 //~ read-before-load
  s_endpgm
