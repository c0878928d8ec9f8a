// A kernel that writes outside of every allocation ends the program with an error, and not with a wrong result.
// Ends: fault
// Says: outside every allocation
#include "check.hpp"

__global__ void stray(int *v, size_t offset) { v[offset + threadIdx.x] = 1; }

int main() {
    Device<int> v(64);
    stray<<<1, 64>>>(v, 0);
    HIP(hipDeviceSynchronize());
    stray<<<1, 64>>>(v, size_t(1) << 42);
    if (hipDeviceSynchronize() == hipSuccess) fail("the program goes on after a stray write");
    abort(); // an error of HIP is as good as the abort of ROCm 5
}
