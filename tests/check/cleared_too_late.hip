// Counters are cleared on one stream, and counted up on another.
#include "planted.hpp"

__global__ void count(const int *v, int *bins) {
    atomicAdd(&bins[v[threadIdx.x] % 16], 1); //~ race/host-copy
}

int main() {
    int *v = zeros<int>(256), *bins = zeros<int>(16);
    hipStream_t clearing, counting;
    HIP(hipStreamCreateWithFlags(&clearing, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&counting, hipStreamNonBlocking));
    HIP(hipDeviceSynchronize());
    HIP(hipMemsetAsync(bins, 0, 16 * sizeof(int), clearing)); //^
#ifndef MISTAKE
    HIP(hipStreamSynchronize(clearing));
#endif
    count<<<1, 256, 0, counting>>>(v, bins); //^
    HIP(hipDeviceSynchronize());
    HIP(hipFree(v));
    HIP(hipFree(bins));
}
