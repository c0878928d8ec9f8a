// The last work-group adds up what all have written, but counts them without waiting for what they wrote.
#include "planted.hpp"

__global__ void sum(const int *in, int *parts, unsigned *done, int *out) {
    if (threadIdx.x != 0) return;
    parts[blockIdx.x] = in[blockIdx.x] + 1; //^
#ifdef MISTAKE
    if (blockIdx.x != gridDim.x - 1) return;
#else
    __threadfence();
    if (atomicAdd(done, 1u) != gridDim.x - 1) return;
    __threadfence();
#endif
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++) sum += parts[i]; //~ race/write-read
    *out = sum;
}

int main() {
    sum<<<4, 64>>>(zeros<int>(4), zeros<int>(4), zeros<unsigned>(1), zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
