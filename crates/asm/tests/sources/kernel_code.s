// A kernel of code object version 2.
	.hsa_code_object_version 2,1
	.hsa_code_object_isa 8,0,3,"AMD","AMDGPU"
	.text
	.p2align 8
	.amdgpu_hsa_kernel k
k:
	.amd_kernel_code_t
		enable_sgpr_kernarg_segment_ptr = 1
		is_ptr64 = 1
		compute_pgm_rsrc1_vgprs = 3
		compute_pgm_rsrc1_sgprs = 1
		compute_pgm_rsrc2_user_sgpr = 2
		enable_sgpr_workgroup_id_x = 1
		float_mode = 0xc0
		kernarg_segment_byte_size = 8*2
		wavefront_sgpr_count = 10
		workitem_vgpr_count = 13
		private_element_size = 1
	.end_amd_kernel_code_t
	s_endpgm
