// The last work-group to count itself adds up what all have written; they count themselves while that is under way.
#include "planted.hpp"

__global__ void sum(const int *in, int *parts, unsigned *done, int *out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = in[blockIdx.x] + 1; //^
#ifndef MISTAKE
        __threadfence();
#endif
        is_last = atomicAdd(done, 1u) == gridDim.x - 1; //^
    }
    __syncthreads();
    if (!is_last || threadIdx.x != 0) return;
    __threadfence();
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++) sum += parts[i]; //~ race/write-read
    *out = sum;
}

int main() {
    sum<<<4, 256>>>(zeros<int>(4), zeros<int>(4), zeros<unsigned>(1), zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
