// gfx906
// What is read ahead is overwritten in the active lanes alone.
  ds_read_b32 v2, v0 //^
  s_mov_b64 exec, s[4:5] //-
  s_mov_b64 s[6:7], s[4:5] //+
  s_barrier //~ barrier-before-read
  ds_write_b64 v0, v[4:5]
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, 0
  s_mov_b64 exec, -1
  v_add_f32 v4, v2, v3
  s_endpgm
