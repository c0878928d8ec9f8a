// A recursion whose depth no compiler counts at -O0, compiled for gfx900:
//   clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx900 -mcode-object-version=5 -O0 -nogpulib \
//       recursion.cl -o recursion-gfx900.hsaco

// 1 + 2 + … + n.
int sum(int n);
int sum(int n) { return n ? n + sum(n - 1) : 0; }

kernel void sums(global int *out) {
    int i = __builtin_amdgcn_workitem_id_x();
    out[i] = sum(i);
}

// An index that is out of range.
kernel void beyond(global int *out, int at) {
    int own[4] = {1, 2, 3, 4};
    out[0] = own[at];
}
