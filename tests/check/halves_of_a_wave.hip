// The upper half of a wave reads what the lower half has stored: right in waves of 64 lanes, and a race of two warps of 32.
// Options: --tools race --subgroup 32
#include "planted.hpp"

__global__ void pass(int *out) {
    __shared__ int value[32];
    int i = threadIdx.x;
    if (i < 32) value[i] = i;
#ifndef MISTAKE
    __syncthreads();
#endif
    if (i >= 32) out[i] = value[i - 32]; //~ race/write-read
}

int main() {
    pass<<<1, 64>>>(zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
