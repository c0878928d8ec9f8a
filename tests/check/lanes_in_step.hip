// A sum in shared memory that relies on 64 lanes in step: where waves are narrower, barriers are missing.
// Options: --tools race --lanes
#include "planted.hpp"

__global__ void sum(const int *in, int *out) {
    __shared__ int part[64];
    int i = threadIdx.x;
    part[i] = in[i];
    for (int half = 32; half > 0; half /= 2) {
#ifndef MISTAKE
        __syncthreads();
#endif
        if (i < half) part[i] += part[i + half]; //~ race/write-read
    }
    if (i == 0) *out = part[0];
}

int main() {
    sum<<<1, 64>>>(zeros<int>(64), zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
