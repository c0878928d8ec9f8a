// gfx600 gfx900
  s_memtime s[4:5] //^
  s_waitcnt lgkmcnt(0) //+
  s_mov_b64 s[6:7], s[4:5] //~ read-before-load
  s_endpgm
