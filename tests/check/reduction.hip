// A sum in LDS without a barrier in its loop.
#include "planted.hpp"

__global__ void sum(const int *in, int *out) {
    __shared__ int part[512];
    int i = threadIdx.x;
    part[i] = in[blockIdx.x * 512 + i];
    __syncthreads();
    for (int half = 256; half > 0; half /= 2) {
        if (i < half) part[i] += part[i + half]; //~ race/read-write
#ifndef MISTAKE
        __syncthreads();
#endif
    }
    if (i == 0) out[blockIdx.x] = part[0];
}

int main() {
    sum<<<2, 512>>>(zeros<int>(1024), zeros<int>(2));
    HIP(hipDeviceSynchronize());
}
