// gfx908 gfx90a
// A tile that follows another has its data in flight since that one, in a state of its own.
  s_mov_b32 s71, 1 //+
  s_mov_b32 s71, 2 //-
  buffer_load_dwordx4 v[28:31], v26, s[8:11], 0 offen //^
  s_branch tile
next:
  s_waitcnt vmcnt(0)
  s_movk_i32 s71, 0x2
tile:
  s_cmp_eq_u32 s71, 1
  s_cbranch_scc1 first
  ds_write_b128 v24, v[28:31] //~ read-before-load
  s_branch done
first:
  s_waitcnt vmcnt(0)
  ds_write_b128 v24, v[28:31]
done:
  s_cmp_eq_u32 s5, 0
  s_cbranch_scc0 next
  s_endpgm
