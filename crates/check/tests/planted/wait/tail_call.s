// gfx900
.globl k
.p2align 8
.type k,@function
k:
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, 20
  s_addc_u32 s5, s5, 0
  s_swappc_b64 s[30:31], s[4:5]
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
.type f,@function
f:
  s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
  global_load_dword v2, v[0:1], off //^
  s_setpc_b64 s[30:31] //-
  s_setpc_b64 s[6:7] //+
.size f, . - f
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 40
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
