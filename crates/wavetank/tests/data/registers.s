; A kernel that names registers which its descriptor does not ask for, for gfx701, gfx803 and gfx900:
;   llvm-mc-14 -triple amdgcn-amd-amdhsa -mcpu=GPU -filetype=obj registers.s -o registers.o
;   ld.lld-15 -shared registers.o -o registers-GPU.hsaco

.text
.globl beyond
.p2align 8
.type beyond,@function
beyond:                         ; (global int *out). s[0:1] is the address of the arguments
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    s_mov_b32 s0, 77
    s_mov_b32 s20, 5            ; no such register: nothing is written
    s_mov_b32 s4, s20           ; that is s0
    v_mov_b32 v0, 42
    v_mov_b32 v8, 6             ; no such register either
    v_mov_b32 v2, v9            ; that is v0
    v_mov_b32 v3, s4
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v4, s2
    v_mov_b32 v5, s3
    s_mov_b64 exec, 1
    flat_store_dwordx2 v[4:5], v[2:3]
    s_endpgm

.rodata
.p2align 6
.amdhsa_kernel beyond
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 8
    .amdhsa_reserve_vcc 0
    .amdhsa_reserve_flat_scratch 0
    .amdhsa_kernarg_size 8
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: beyond
    .symbol: beyond.kd
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 8
    .max_flat_workgroup_size: 1024
    .private_segment_fixed_size: 0
    .sgpr_count: 8
    .vgpr_count: 8
    .wavefront_size: 64
    .args:
      - .address_space: global
        .name: out
        .offset: 0
        .size: 8
        .value_kind: global_buffer
...
.end_amdgpu_metadata
