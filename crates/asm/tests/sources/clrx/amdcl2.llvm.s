.amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx803"
.section .rodata
.byte 1, 2, 3, 4
.text
.p2align 8
.amd_kernel_code_t
    amd_code_version_minor = 0
    kernarg_segment_byte_size = 128
    granulated_wavefront_sgpr_count = 1
    float_mode = 0xc0
    user_sgpr_count = 8
    enable_sgpr_workgroup_id_x = 1
    enable_sgpr_private_segment_buffer = 1
    enable_sgpr_dispatch_ptr = 1
    enable_sgpr_kernarg_segment_ptr = 1
    private_element_size = 1
    is_ptr64 = 1
    wavefront_sgpr_count = 11
    workitem_vgpr_count = 1
    call_convention = 0
.end_amd_kernel_code_t
    s_load_dwordx2 s[0:1], s[6:7], 112
    s_load_dword s4, s[4:5], 4
    s_waitcnt lgkmcnt(0)
    v_add_u32 v0, vcc, s0, v0
    s_cbranch_execz .Lend
    s_nop 1
.Lend:
    s_endpgm
.p2align 8
.amd_kernel_code_t
    amd_code_version_minor = 0
    kernarg_segment_byte_size = 56
    granulated_workitem_vgpr_count = 0
    granulated_wavefront_sgpr_count = 2
    float_mode = 0xc0
    enable_sgpr_private_segment_wave_byte_offset = 1
    user_sgpr_count = 12
    enable_sgpr_workgroup_id_x = 1
    enable_sgpr_workgroup_id_y = 1
    enable_vgpr_workitem_id = 1
    granulated_lds_size = 1
    enable_sgpr_private_segment_buffer = 1
    enable_sgpr_dispatch_ptr = 1
    enable_sgpr_queue_ptr = 1
    enable_sgpr_kernarg_segment_ptr = 1
    enable_sgpr_flat_scratch_init = 1
    private_element_size = 1
    is_ptr64 = 1
    workitem_private_segment_byte_size = 180
    workgroup_group_segment_byte_size = 400
    wavefront_sgpr_count = 21
    workitem_vgpr_count = 2
    call_convention = 0
.end_amd_kernel_code_t
    s_endpgm
