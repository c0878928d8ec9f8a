// gfx900
  global_load_dwordx2 v[0:1], v[0:1], off //^
  s_waitcnt vmcnt(0) //+
  global_load_dword v2, v[0:1], off //~ read-before-load
  s_endpgm
