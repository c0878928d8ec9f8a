.hsa_code_object_version 2,1
.hsa_code_object_isa 9,0,0,"AMD","AMDGPU"
.text
.p2align 8
.amdgpu_hsa_kernel k
k:
.amd_kernel_code_t
  enable_sgpr_private_segment_buffer = 1
  enable_sgpr_kernarg_segment_ptr = 1
  enable_sgpr_grid_workgroup_count_y = 1
  user_sgpr_count = 7
  enable_sgpr_workgroup_id_x = 1
  enable_vgpr_workitem_id = 1
  private_element_size = 3
  is_ptr64 = 1
  is_dynamic_callstack = 1
  is_xnack_enabled = 1
  float_mode = 0xc3
  enable_ieee_mode = 1
  granulated_workitem_vgpr_count = 5
  granulated_wavefront_sgpr_count = 4
  workitem_private_segment_byte_size = 20
  workgroup_group_segment_byte_size = 4096
  gds_segment_byte_size = 16
  kernarg_segment_byte_size = 88
  kernel_code_entry_byte_offset = 512
.end_amd_kernel_code_t
  s_endpgm
