// gfx900
// M0 chooses a register, which may be the counter.
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 over
  global_load_dword v2, v[0:1], off //^
over:
  s_movreld_b32 s8, s9 //-
  s_mov_b32 s8, s9 //+
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 use
  s_waitcnt vmcnt(0)
use:
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
