	v_mov_b32 v9, s3
	.long .amdgcn.next_free_sgpr, .amdgcn.next_free_vgpr
	s_mov_b32 s103, vcc_lo
	.long .amdgcn.next_free_sgpr, .amdgcn.next_free_vgpr
