// Work-groups raise the same counts without atomics.
#include "planted.hpp"

__global__ void count(const int *in, int *bins) {
    int bin = in[blockIdx.x * blockDim.x + threadIdx.x] & 63;
#ifdef MISTAKE
    bins[bin]++; //~ race/write-read
#else
    atomicAdd(&bins[bin], 1);
#endif
}

int main() {
    count<<<4, 64>>>(zeros<int>(256), zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
