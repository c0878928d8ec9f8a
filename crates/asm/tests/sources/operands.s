// Expressions among the operands of instructions.
.set n, 5
	s_add_u32 s[n], s0, n*2+0x100
	v_add_f32 v[n], v[n+1], v[2*3]
	s_load_dword s0, s[0:1], n*4
	s_load_dwordx2 s[n-1:n], s[0:1], 0x10+n-1
	buffer_load_dword v0, off, s[n-1:n+2], 0 offset:n*4
	s_waitcnt vmcnt(n)
	s_waitcnt vmcnt(0) & lgkmcnt(n-5)
	ds_read_b32 v0, v1 offset:n
	s_mov_b32 s0, -n
	s_mov_b32 s0, ~n
	s_mov_b32 s0, (n+1)<<4
	s_movk_i32 s0, n-6
	v_mov_b32_dpp v0, v1 quad_perm:[n-5,1,2,3] row_mask:n bank_mask:0xf
	v_add_f32 v0, -v1, |v2|
	v_fma_f32 v0, -|v1|, 1.0, v[n]
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), n
	s_branch n
	s_nop n|2
	v_mov_b32 v0, 'a'
