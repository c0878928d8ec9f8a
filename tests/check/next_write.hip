// A wave writes the next tile while others still read this one.
#include "planted.hpp"

__global__ void sums(const int *in, int *out, int tiles) {
    __shared__ int tile[128];
    int sum = 0;
    for (int t = 0; t < tiles; t++) {
        tile[threadIdx.x] = in[t * 128 + threadIdx.x]; //~ race/read-write
        __syncthreads();
        sum += tile[127 - threadIdx.x]; //^
#ifndef MISTAKE
        __syncthreads();
#endif
    }
    out[threadIdx.x] = sum;
}

int main() {
    sums<<<1, 128>>>(zeros<int>(512), zeros<int>(128), 4);
    HIP(hipDeviceSynchronize());
}
