// gfx90a
// The second prefetch is for two iterations or more, the last iteration for one.
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 end
  s_cmp_eq_u32 s7, 1
  s_cbranch_scc1 prefetched
  buffer_load_dwordx4 v[4:7], v0, s[12:15], 0 offen //^
prefetched:
  s_cmp_eq_u32 s7, 1 //+
  s_cmp_eq_u32 s7, 2 //-
  s_cbranch_scc1 last
  s_cmp_le_u32 s7, 2
  s_cbranch_scc1 loop_end
loop:
  s_waitcnt vmcnt(0)
  ds_write_b128 v1, v[4:7]
  buffer_load_dwordx4 v[4:7], v0, s[12:15], 0 offen
  s_sub_u32 s7, s7, 1
  s_cmp_eq_i32 s7, 2
  s_cbranch_scc0 loop
loop_end:
  s_waitcnt vmcnt(0)
  ds_write_b128 v1, v[4:7]
  s_nop 1
last:
  v_mov_b32 v4, 0 //~ write-before-load
end:
  s_endpgm
