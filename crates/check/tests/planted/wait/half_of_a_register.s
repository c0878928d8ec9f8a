// gfx900
  global_load_short_d16 v2, v[0:1], off
  global_load_short_d16_hi v2, v[0:1], off offset:2 //^
  s_waitcnt vmcnt(1) //-
  s_waitcnt vmcnt(0) //+
  v_pk_add_f16 v3, v2, v2 //~ read-before-load
  s_endpgm
