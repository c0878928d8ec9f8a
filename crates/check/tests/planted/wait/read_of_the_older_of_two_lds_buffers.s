// gfx900 gfx906
.text
.globl k
.p2align 8
.type k,@function
k:
  s_mov_b32 m0, 0
  s_nop 0
  buffer_load_dword off, s[0:3], 0 lds
  s_mov_b32 m0, 0x400
  s_nop 0
  buffer_load_dword off, s[0:3], 0 offset:1024 lds //^
  s_waitcnt vmcnt(1) //+
  s_waitcnt vmcnt(2) //-
  ds_read_b32 v2, v3 //~ read-before-load
  s_waitcnt lgkmcnt(0)
  global_store_dword v[0:1], v2, off
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 8
  .amdhsa_group_segment_fixed_size 4096
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
...
.end_amdgpu_metadata
