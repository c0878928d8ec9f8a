    .text
whole:
    s_endpgm
    .p2align 8
given:
    s_endpgm
    .p2align 8
plain:
    s_mov_b32 s4, 0
    v_mov_b32_e32 v2, v0
    s_endpgm

    .section .rodata,"a",@progbits
    .long 1, 2

    // Pairs of address and value: COMPUTE_PGM_RSRC1 and 2, COMPUTE_TMPRING_SIZE, spilled SGPRs and VGPRs.
    .section .AMDGPU.config,"",@progbits
    // VGPRs in fours, SGPRs in eights, priority, float mode; privileged, DX10 clamp, debug mode and IEEE mode.
    .long 0xb848, 4 | 3<<6 | 2<<10 | 0x3f<<12 | 0xf<<20
    // Scratch, user SGPRs, work-groups in x and y, their size, work-items in x and y, two exceptions, LDS in 512 bytes, exceptions.
    .long 0xb84c, 1 | 6<<1 | 3<<7 | 1<<10 | 1<<11 | 3<<13 | 2<<15 | 0x11<<24
    // 20 bytes of 64 work-items, in kilobytes.
    .long 0xb860, 2<<12
    .long 4, 3, 8, 9

    .long 0xb848, 0xc0183, 0xb84c, 0x1788, 0xb860, 0, 4, 1, 8, 2

    // 5 SGPRs and VCC are a granule, and so are 3 VGPRs; there are 4 user SGPRs.
    .long 0xb848, 0xc0<<12, 0xb84c, 4<<1 | 1<<7, 0xb860, 0, 4, 0, 8, 0
