// gfx600 gfx900
  s_load_dwordx2 vcc, s[0:1], 0x0 //^
  s_waitcnt lgkmcnt(0) //+
  s_cbranch_vccnz end //~ read-before-load
  s_nop 0
end:
  s_endpgm
