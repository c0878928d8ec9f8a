// gfx900 gfx906
.text
.globl k
.p2align 8
.type k,@function
k:
  s_add_u32 flat_scratch_lo, s0, s3 //+
  s_addc_u32 flat_scratch_hi, s1, 0 //+
  scratch_load_dword v0, off, s2 //~ flat-scratch
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_private_segment_fixed_size 16
  .amdhsa_user_sgpr_flat_scratch_init 1
  .amdhsa_system_sgpr_private_segment_wavefront_offset 1
  .amdhsa_next_free_vgpr 4
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
    .private_segment_fixed_size: 16
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
...
.end_amdgpu_metadata
