// Adds up the numbers of each work-group of 64 through LDS, for compilers without OpenCL's library:
//   clang -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx700 -nogpulib -O2 sums.cl -o sums-gfx700.hsaco
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void sums(global const uint *numbers, global uint *out) {
  local uint part[64];
  uint lane = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x();
  part[lane] = numbers[group * 64 + lane];
  for (uint step = 32; step > 0; step /= 2) {
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
    __builtin_amdgcn_s_barrier();
    if (lane < step) part[lane] += part[lane + step];
  }
  if (lane == 0) out[group] = part[0];
}
