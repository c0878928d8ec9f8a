// gfx900
// The difference of the counter and its copy has more values than are kept apart.
  s_mov_b32 s6, s5
loop:
  s_sub_u32 s5, s5, 2
  s_cmp_eq_u32 s5, 2
  s_cbranch_scc0 loop
  global_load_dword v2, v[0:1], off //^
  s_cmp_eq_u32 s6, 40
  s_cbranch_scc1 use
  s_waitcnt vmcnt(0)
use:
  s_waitcnt vmcnt(0) //+
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
