// Chips with XNACK have names and numbers of their own in version 2.
	.hsa_code_object_version 2,1
	.hsa_code_object_isa
	.text
	.amdgpu_hsa_kernel k
k:
	.amd_kernel_code_t
		granulated_workitem_vgpr_count = 0
		enable_wgp_mode = 0
		enable_mem_ordered = 0
		enable_fwd_progress = 0
		is_xnack_enabled = 1
	.end_amd_kernel_code_t
	s_endpgm
	.amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx901"
