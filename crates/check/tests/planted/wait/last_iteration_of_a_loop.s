// gfx900
// After the loop, the counter is what its branch says.
loop:
  s_waitcnt vmcnt(0)
  global_load_dword v2, v[0:1], off //^
  s_sub_u32 s7, s7, 1
  s_cmp_eq_i32 s7, 2
  s_cbranch_scc0 loop
  s_cmp_eq_u32 s7, 2 //+
  s_cmp_eq_u32 s7, 3 //-
  s_cbranch_scc0 use
  s_waitcnt vmcnt(0)
use:
  v_mov_b32 v2, 0 //~ write-before-load
  s_endpgm
