// A counter in LDS is set to 0 by one wave, and the others do not wait for that.
#include "planted.hpp"

__global__ void count(const int *in, int *out) {
    __shared__ int counter;
    if (threadIdx.x == 0) counter = 0; //^
#ifndef MISTAKE
    __syncthreads();
#endif
    if (in[threadIdx.x] == 0) atomicAdd(&counter, 1); //~ race/write-write
    __syncthreads();
    if (threadIdx.x == 0) *out = counter;
}

int main() {
    count<<<1, 256>>>(zeros<int>(256), zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
