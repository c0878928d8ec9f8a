// gfx600 gfx900 gfx90a
  s_cbranch_execz over
  s_mov_b32 m0, -1
  ds_read_b32 v2, v0 //^
over:
  s_mov_b64 exec, s[8:9] //-
  s_cbranch_execz use
  s_waitcnt lgkmcnt(0)
use:
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
