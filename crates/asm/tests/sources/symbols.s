// Symbols: values, places, distances, and what is left to a linker.
	.globl ext
	.weak maybe
	.hidden secret
	.set y, 3
f:
	s_mov_b32 s1, lab
	s_mov_b32 s1, lab-start
	s_mov_b32 s1, y
	s_movk_i32 s1, y
	s_add_u32 s2, s2, ext@rel32@lo+4
	s_addc_u32 s3, s3, ext@rel32@hi+12
	s_add_u32 s2, s2, lab@rel32@lo+4
	s_add_u32 s2, s2, maybe@gotpcrel32@lo+4
	s_addc_u32 s3, s3, maybe@gotpcrel32@hi+12
	s_mov_b32 s4, ext
	v_mov_b32 v[y+1], v[y]
	v_mov_b32 v1, y
	s_branch lab
	s_cbranch_scc1 1f
start:
lab:
1:	s_nop 0
	s_branch 1b
.set y, 7
	s_nop y
x = y*2
	s_nop x
	.long lab, ext+3, lab-start
	.quad lab
	.type f, @function
	.size f, .-f
	.protected f
	.global f
	.data
far:
	.quad f, ext, secret
	.long 2f-far
2:
	.comm shared, 16, 8
	.lcomm own, 12
	.local mine
	.comm mine, 4, 4
	.ident "a maker"
