	v_mov_b32 v9, s3
	.long .amdgcn.next_free_sgpr, .amdgcn.next_free_vgpr
	s_mov_b32 s103, vcc_lo
	.long .amdgcn.next_free_sgpr, .amdgcn.next_free_vgpr
	.set .amdgcn.next_free_vgpr, 0
	.set .amdgcn.next_free_sgpr, 0
	v_mov_b32 v4, s6
	.long .amdgcn.next_free_sgpr, .amdgcn.next_free_vgpr
