.p2align 8
n:
  s_mov_b32 s20, 0
  v_cmp_eq_u32 vcc, v0, v1
  v_mov_b32 v70, 0
  s_endpgm
; ----
.globl n
.type n, @function
.size n, .-n
.section .rodata, "a"
.p2align 6
.amdhsa_kernel n
  .amdhsa_group_segment_fixed_size 1000
  .amdhsa_kernarg_size 28
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_vgpr_workitem_id 1
  .amdhsa_next_free_vgpr 71
  .amdhsa_next_free_sgpr 21
  .amdhsa_reserve_flat_scratch 0
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, VERSION ]
amdhsa.target: amdgcn-amd-amdhsa--CPU
amdhsa.kernels:
  - .name: !str n
    .symbol: n.kd
    .group_segment_fixed_size: 1000
    .private_segment_fixed_size: 0
    .kernarg_segment_size: 28
    .kernarg_segment_align: 8
    # 72 VGPRs are a third of 256, so that a unit has 12 waves of 64.
    .max_flat_workgroup_size: 768
    .sgpr_count: SGPRS
    .sgpr_spill_count: 0
    .vgpr_count: 71
    .vgpr_spill_count: 0
    .wavefront_size: 64
    .args:
      - { .name: !str no, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global,
          .type_name: 'float*', .is_const: true }
      - { .name: !str on, .offset: 8, .size: 1, .value_kind: by_value, .type_name: uchar }
      - { .name: !str l, .offset: 12, .size: 4, .value_kind: dynamic_shared_pointer, .address_space: local,
          .type_name: 'double*', .pointee_align: 8 }
      - { .name: !str inf, .offset: 16, .size: 8, .value_kind: by_value, .type_name: long }
      - { .name: !str e1, .offset: 24, .size: 2, .value_kind: by_value, .type_name: half }
...
.end_amdgpu_metadata
