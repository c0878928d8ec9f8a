// gfx906 gfx90a
// The last iteration reads ahead. Others may overwrite that, if nobody uses it.
loop:
  ds_read_b64 v[2:3], v0 //^
  s_sub_u32 s7, s7, 1
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 last
  s_waitcnt lgkmcnt(0)
  v_add_f32 v4, v2, v3
  s_branch loop
last:
  s_barrier //~ barrier-before-read
  ds_write_b64 v0, v[4:5]
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, 0
  v_mov_b32 v3, 0 //+
  v_add_f32 v4, v2, v3
  s_endpgm
