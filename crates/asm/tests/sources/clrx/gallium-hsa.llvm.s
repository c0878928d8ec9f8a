    .text
scale:
    .amd_kernel_code_t
        amd_code_version_minor = 0
        call_convention = 0
        enable_sgpr_private_segment_buffer = 1
        enable_sgpr_dispatch_ptr = 1
        enable_sgpr_kernarg_segment_ptr = 1
        is_ptr64 = 1
        private_element_size = 1
        enable_dx10_clamp = 1
        enable_ieee_mode = 1
        float_mode = 0x0f
        priority = 1
        // s0 to s30, and VCC.
        granulated_wavefront_sgpr_count = 4
        wavefront_sgpr_count = 33
        granulated_workitem_vgpr_count = 2
        workitem_vgpr_count = 12
        user_sgpr_count = 8
        enable_sgpr_workgroup_id_x = 1
        enable_sgpr_workgroup_id_y = 1
        enable_sgpr_workgroup_id_z = 1
        enable_vgpr_workitem_id = 1
        enable_exception_msb = 1
        granulated_lds_size = 2
        workgroup_group_segment_byte_size = 1024
        // An offset of the grid has three numbers.
        kernarg_segment_byte_size = 28
        kernarg_segment_alignment = 5
    .end_amd_kernel_code_t
    s_mov_b32 s30, 0
    s_endpgm

    .section .AMDGPU.config,"",@progbits
    .long 0xb848, 1 | 4<<6 | 0xc0<<12 | 1<<21 | 1<<23
    .long 0xb84c, 8<<1 | 1<<7 | 1<<15
    .long 0xb860, 0, 4, 0, 8, 0
