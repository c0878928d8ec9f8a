// Kernels whose results depend on who runs when, compiled for gfx900:
//   clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx900 -mcode-object-version=5 -O2 -nogpulib \
//       races.cl -o races-gfx900.hsaco

// Every wave of the group adds to the same 64 elements, without atomics.
kernel void add(global int *x) {
    x[__builtin_amdgcn_workitem_id_x() & 63] += 1;
}

// Wave 0 waits for a flag that the last wave of the group sets.
kernel void wait(global volatile int *flag, global int *seen, int last) {
    int wave = __builtin_amdgcn_workitem_id_x() / 64;
    if (wave == last) *flag = 1;
    if (wave == 0) while (*flag == 0) { *seen += 1; }
}

// Wave 0 overwrites what every wave sums up after the barrier, a division later.
kernel void sum(global const float *in, global float *out, local float *part, int n) {
    int item = __builtin_amdgcn_workitem_id_x();
    if (item < n) part[item] = in[item];
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    float all = 0;
    for (int i = 0; i < n; i++) all += part[i];
    if (item < n) part[item] = in[n + item] / in[2 * n + item];
    out[item] = all;
}
