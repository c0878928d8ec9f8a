// A scan in one buffer reads before, and writes behind, the same barrier.
#include "planted.hpp"

__global__ void scan(int *v) {
    __shared__ int part[256];
    int i = threadIdx.x;
    part[i] = v[i];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int left = i >= step ? part[i - step] : 0; //^
#ifndef MISTAKE
        __syncthreads();
#endif
        part[i] += left; //~ race/read-write
        __syncthreads();
    }
    v[i] = part[i];
}

int main() {
    scan<<<1, 256>>>(zeros<int>(256));
    HIP(hipDeviceSynchronize());
}
