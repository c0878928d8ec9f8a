// gfx600 gfx900
  s_cbranch_scc0 100 //-~ no-instruction
  s_cbranch_scc0 0 //+
  s_endpgm
