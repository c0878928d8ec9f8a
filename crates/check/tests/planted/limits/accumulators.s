// gfx90a gfx942
.text
.globl k
.p2align 8
.type k,@function
k:
  v_mov_b32 v3, 0
  s_nop 1
  v_accvgpr_write_b32 a8, v3 //-~ vgprs
  v_accvgpr_write_b32 a7, v3 //+
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 16
  .amdhsa_accum_offset 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
...
.end_amdgpu_metadata
