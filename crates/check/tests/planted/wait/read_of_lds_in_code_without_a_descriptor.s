// gfx900 gfx906
.text
.globl main
.p2align 8
.type main,@function
main:
  // Code that ends the wave and never returns has no caller that has filled LDS.
  s_mov_b32 m0, 0
  s_nop 0
  buffer_load_dword off, s[0:3], 0 lds //^
  s_nop 0 //-
  s_waitcnt vmcnt(0) //+
  ds_read_b32 v2, v3 //~ read-before-load
  s_waitcnt lgkmcnt(0)
  global_store_dword v[0:1], v2, off
  s_endpgm
.size main, .-main
