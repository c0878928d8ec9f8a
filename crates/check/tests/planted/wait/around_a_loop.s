// gfx600 gfx900
  v_mov_b32 v2, 0
again:
  v_add_f32 v3, v3, v2 //~ read-before-load
  buffer_load_dword v2, off, s[0:3], 0 //^
  s_waitcnt vmcnt(0) //+
  s_sub_u32 s4, s4, 1
  s_cbranch_scc0 again
  s_endpgm
