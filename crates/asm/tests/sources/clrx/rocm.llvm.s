.amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx803"
.p2align 8
scale:
.amd_kernel_code_t
    amd_code_version_major = 1
    amd_code_version_minor = 0
    kernarg_segment_byte_size = 24
    granulated_workitem_vgpr_count = 2
    granulated_wavefront_sgpr_count = 1
    float_mode = 0xc0
    enable_dx10_clamp = 1
    enable_ieee_mode = 1
    user_sgpr_count = 8
    enable_sgpr_workgroup_id_x = 1
    granulated_lds_size = 2
    enable_sgpr_private_segment_buffer = 1
    enable_sgpr_dispatch_ptr = 1
    enable_sgpr_kernarg_segment_ptr = 1
    private_element_size = 1
    is_ptr64 = 1
    workgroup_group_segment_byte_size = 1024
    wavefront_sgpr_count = 11
    workitem_vgpr_count = 10
    call_convention = 0
.end_amd_kernel_code_t
    s_load_dwordx2 s[0:1], s[6:7], 0
    v_mov_b32 v9, 0
    s_endpgm
.p2align 8
bare:
.amd_kernel_code_t
    amd_code_version_major = 1
    amd_code_version_minor = 1
    amd_machine_version_stepping = 4
    granulated_workitem_vgpr_count = 2
    granulated_wavefront_sgpr_count = 3
    priority = 1
    float_mode = 0xc0
    enable_sgpr_private_segment_wave_byte_offset = 1
    user_sgpr_count = 2
    enable_sgpr_workgroup_id_x = 1
    enable_sgpr_workgroup_id_y = 1
    enable_sgpr_workgroup_id_z = 1
    enable_exception = 0x7f
    enable_sgpr_kernarg_segment_ptr = 1
    private_element_size = 1
    workitem_private_segment_byte_size = 16
    wavefront_sgpr_count = 32
    workitem_vgpr_count = 10
    reserved_vgpr_first = 4
    reserved_vgpr_count = 4
    call_convention = 0
.end_amd_kernel_code_t
    s_endpgm
