// gfx950
.text
.globl k
.p2align 8
.type k,@function
k:
  s_endpgm //~ lds
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 4
  .amdhsa_accum_offset 4
  .amdhsa_next_free_sgpr 8
  .amdhsa_group_segment_fixed_size 163844 //-
  .amdhsa_group_segment_fixed_size 163840 //+
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
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
...
.end_amdgpu_metadata
