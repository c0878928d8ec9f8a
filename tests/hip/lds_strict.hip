// With --strict an access beyond the LDS of a kernel stops it.
// Options: --strict
// Ends: fault
// Says: lane 5
// Says: a store of 4 bytes at offset 84 of an LDS of 64 bytes
#include "check.hpp"

__global__ void overrun(int *out, int n) {
    __shared__ volatile int cells[16];
    cells[threadIdx.x % 16] = 7;
    __syncthreads();
    if (threadIdx.x == 5) cells[threadIdx.x + n] = 9;
    __syncthreads();
    out[threadIdx.x] = cells[threadIdx.x % 16];
}

int main() {
    Device<int> out(64);
    overrun<<<1, 64>>>(out, 10);
    HIP(hipDeviceSynchronize());
    overrun<<<1, 64>>>(out, 16);
    if (hipDeviceSynchronize() == hipSuccess) fail("the program goes on after an access beyond its LDS");
    abort(); // an error of HIP is as good as the abort of ROCm 5
}
