// Values of other waves are read before these have written them.
#include "planted.hpp"

__global__ void reverse(const int *in, int *out) {
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x]; //~ race/read-write
#ifndef MISTAKE
    __syncthreads();
#endif
    out[threadIdx.x] = tile[255 - threadIdx.x]; //^
}

int main() {
    reverse<<<1, 256>>>(zeros<int>(256), zeros<int>(256));
    HIP(hipDeviceSynchronize());
}
