; A kernel that traps and then stores 7, and a handler that adds the number of the trap to where TMA points, for gfx900:
;   llvm-mc-14 -triple amdgcn-amd-amdhsa -mcpu=gfx900 -filetype=obj trap.s -o trap.o
;   ld.lld-15 -shared trap.o -o trap-gfx900.hsaco

.text
.globl traps
.p2align 8
.type traps,@function
traps:                          ; (global int *out)
    s_trap 3
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    v_mov_b32 v2, 7
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v0, s2
    v_mov_b32 v1, s3
    global_store_dword v[0:1], v2, off
    s_endpgm
.Lend:
.size traps, .Lend-traps

.globl handler
.p2align 8
.type handler,@function
handler:
    s_getreg_b32 ttmp4, hwreg(18)       ; TMA
    s_getreg_b32 ttmp5, hwreg(19)
    s_bfe_u32 ttmp6, ttmp1, 0x80010     ; the number
    s_atomic_add ttmp6, ttmp[4:5], 0x0
    s_add_u32 ttmp0, ttmp0, 4           ; behind the s_trap
    s_addc_u32 ttmp1, ttmp1, 0
    s_rfe_b64 ttmp[0:1]
.Lhandled:
.size handler, .Lhandled-handler

.rodata
.p2align 6
.amdhsa_kernel traps
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: traps
    .symbol: traps.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 3
    .max_flat_workgroup_size: 256
    .args:
      - .name: out
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
...
.end_amdgpu_metadata
