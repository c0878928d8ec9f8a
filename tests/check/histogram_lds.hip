// Counts in LDS are raised without atomics.
#include "planted.hpp"

__global__ void count(const int *in, int *out) {
    __shared__ int bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    int bin = in[threadIdx.x] & 63;
#ifdef MISTAKE
    bins[bin]++; //~ race/read-write
#else
    atomicAdd(&bins[bin], 1);
#endif
    __syncthreads();
    if (threadIdx.x < 64) out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
    count<<<1, 256>>>(zeros<int>(256), zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
