// gfx803 gfx900
  buffer_load_dword v2, off, s[0:3], 0 //^
  s_not_b64 exec, exec //+
  v_mov_b32 v2, 0 //~ write-before-load
  s_endpgm
