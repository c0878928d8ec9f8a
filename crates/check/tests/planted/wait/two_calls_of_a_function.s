// gfx900
// A load that is in flight in the second call is not in flight after the first.
.globl k
.p2align 8
.type k,@function
k:
  s_call_b64 s[30:31], f
  v_add_f32 v3, 1.0, v2
  global_load_dword v2, v[0:1], off //^
  s_call_b64 s[30:31], f
  s_waitcnt vmcnt(0) //+
  v_add_f32 v3, 1.0, v2 //~ read-before-load
  s_endpgm
.type f,@function
f:
  s_add_u32 s10, s10, 1
  s_setpc_b64 s[30:31]
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
