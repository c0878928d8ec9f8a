// gfx906
// In the lanes that go on, the rest of a loop overwrites what was read ahead before it uses the register.
  ds_read_b32 v2, v0 //^
  s_waitcnt vmcnt(0)
  s_barrier //~ barrier-before-read
  ds_write_b32 v0, v4
  s_waitcnt lgkmcnt(0)
  v_cmpx_lt_u32 vcc, v5, v6
  ds_read_b32 v2, v0
  s_waitcnt lgkmcnt(0)
  v_add_f32 v4, v2, v3
  s_mov_b64 exec, -1
  v_add_f32 v4, v2, v3 //-
  s_endpgm
