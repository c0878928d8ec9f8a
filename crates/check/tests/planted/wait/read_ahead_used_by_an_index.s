// gfx906
// What is read ahead is used through an index.
  ds_read_b32 v2, v0 //^
  s_barrier //~ barrier-before-read
  ds_write_b64 v0, v[4:5]
  s_waitcnt lgkmcnt(0)
  s_set_gpr_idx_on s8, gpr_idx(SRC0) //-
  v_mov_b32 v6, v1 //-
  s_set_gpr_idx_off //-
  v_mov_b32 v2, 0
  s_endpgm
