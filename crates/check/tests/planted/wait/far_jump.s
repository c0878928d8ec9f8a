// gfx900
  global_load_dword v2, v[0:1], off //^
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, 20
  s_addc_u32 s5, s5, 0
  s_setpc_b64 s[4:5]
  s_endpgm
  s_endpgm
  s_waitcnt vmcnt(0) //+
  s_nop 0 //-
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
