// Lanes take a place from a lane that has read beyond what was copied.
#include "planted.hpp"

__global__ void exchange(const int *places, const int *in, int *out) {
    int place = places[threadIdx.x]; //^
    int other = __shfl(place, threadIdx.x / 2);
    out[threadIdx.x] = in[other]; //~ init/address
}

int main() {
    int *places, host[64] = {};
    HIP(hipMalloc(&places, sizeof host));
#ifdef MISTAKE
    size_t bytes = 31 * sizeof(int);
#else
    // Lanes 32 to 63 are read, and nobody takes what they have.
    size_t bytes = 32 * sizeof(int);
#endif
    HIP(hipMemcpy(places, host, bytes, hipMemcpyHostToDevice));
    exchange<<<1, 64>>>(places, zeros<int>(64), zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
