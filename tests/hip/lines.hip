// A fault names the line of a kernel that is compiled with -g, and where its function has been inlined.
// Links: -g
// Ends: fault
// Says: outside every allocation
// Says: lines.hip:10:9 in `store(int*, int)`, inlined at
// Says: lines.hip:14:5): work-group
#include "check.hpp"

__device__ static void store(int *to, int value) {
    *to = value;
}

__global__ void stray(int *v, size_t offset) {
    store(v + offset + threadIdx.x, 1);
}

int main() {
    Device<int> v(64);
    stray<<<1, 64>>>(v, size_t(1) << 42);
    (void)hipDeviceSynchronize();
    abort(); // an error of HIP is as good as the abort of ROCm 5
}
