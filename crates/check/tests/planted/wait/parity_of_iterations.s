// gfx90a
// Of a loop with two bodies, the parity of the count says which one was the last.
  s_mov_b32 s6, s5
  s_cmp_lt_u32 s5, 3
  s_cbranch_scc1 end
loop:
  s_waitcnt vmcnt(0)
  v_add_f64 v[8:9], v[2:3], v[4:5]
  global_load_dwordx2 v[2:3], v[0:1], off //^
  s_sub_u32 s5, s5, 1
  s_cmp_eq_i32 s5, 2
  s_cbranch_scc1 out
  s_waitcnt vmcnt(0)
  v_add_f64 v[8:9], v[2:3], v[4:5]
  s_nop 0
  s_sub_u32 s5, s5, 1 //+
  s_sub_u32 s5, s5, 2 //-
  s_cmp_eq_i32 s5, 2
  s_cbranch_scc0 loop
out:
  s_and_b32 s7, s6, 1
  s_cbranch_scc1 odd
  v_add_f64 v[8:9], v[2:3], v[4:5] //~ read-before-load
odd:
end:
  s_endpgm
