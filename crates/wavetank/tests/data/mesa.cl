// Kernels as Mesa's drivers have them: relocatable objects of LLVM 15 for `amdgcn-mesa-mesa3d` (mesa3d-*.o) and, without the
// kernel `stacked`, for `amdgcn--` (clover-*.o):
//
//     clang -target amdgcn-mesa-mesa3d -mcpu=tahiti -O1 -cl-std=CL1.2 -nogpulib -c mesa.cl -o mesa3d-gfx600.o
//     clang -target amdgcn-- -DCLOVER -mcpu=tahiti -O1 -cl-std=CL1.2 -nogpulib -fintegrated-as -c mesa.cl -o clover-gfx600.o
//
// and with -mcpu=bonaire, -mcpu=polaris10.

#define id() (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())

// A table that lies in another section.
static constant int squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};

kernel void saxpy(float a, global const float *x, global float *y, int n) {
  int i = id();
  if (i < n)
    y[i] += a * x[i];
}

// The sum of a group, by way of LDS that the caller gives, after as much of the kernel's own.
kernel void sums(global const int *x, local int *mine, global int *out) {
  local int other[64];
  int i = __builtin_amdgcn_workitem_id_x();
  mine[i] = x[id()];
  other[63 - i] = squares[i & 15];
  __builtin_amdgcn_s_barrier();
  if (i == 0) {
    int sum = 0;
    for (int n = 0; n < 64; n++)
      sum += mine[n] * other[n];
    out[__builtin_amdgcn_workgroup_id_x()] = sum;
  }
}

#ifdef CLOVER
// What stands before the arguments: groups, items, and the size of a group.
kernel void shape(global int *out) {
  const constant int *header = (const constant int *)__builtin_amdgcn_kernarg_segment_ptr();
  for (int n = 0; n < 9; n++)
    out[n] = header[n];
}
#else
// What stands behind them: dimensions and three offsets.
kernel void shape(global int *out) {
  const constant int *more = (const constant int *)__builtin_amdgcn_implicitarg_ptr();
  for (int n = 0; n < 4; n++)
    out[n] = more[n];
}

// Elements that the compiler cannot keep in registers.
kernel void stacked(global const int *x, global int *out) {
  volatile int mine[16];
  int i = id();
  for (int n = 0; n < 16; n++)
    mine[n] = x[i] * n;
  out[i] = mine[x[i] & 15];
}
#endif
