; A kernel with room for the code of tests, which write it over this one, and with registers, LDS and scratch to use:
;   llvm-mc-14 -triple amdgcn-amd-amdhsa -mcpu=gfx900 -filetype=obj blank.s -o blank.o
;   ld.lld-15 -shared blank.o -o blank-gfx900.hsaco
; and the same for gfx600 and gfx803.

.text
.globl blank
.p2align 8
.type blank,@function
blank:
    s_endpgm
    .fill 511, 4, 0xbf800000        ; s_nop 0
.Lend:
.size blank, .Lend-blank

.rodata
.p2align 6
.amdhsa_kernel blank
    .amdhsa_group_segment_fixed_size 256
    .amdhsa_private_segment_fixed_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_flat_scratch_init 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 64
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: blank
    .symbol: blank.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 16
    .wavefront_size: 64
    .sgpr_count: 64
    .vgpr_count: 32
    .max_flat_workgroup_size: 1024
    .args: []
...
.end_amdgpu_metadata
