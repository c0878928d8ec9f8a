// The places of the last bin are never set in LDS, and used to look up values.
#include "planted.hpp"

__global__ void gather(const int *counts, const int *in, int *out) {
    __shared__ int starts[64];
    int i = threadIdx.x;
#ifdef MISTAKE
    bool mine = i < 63;
#else
    bool mine = i < 64;
#endif
    if (mine) starts[i] = counts[i] + i;
    __syncthreads();
    int start = starts[63 - i]; //^
    out[i] = in[start]; //~ init/address
}

int main() {
    gather<<<1, 64>>>(zeros<int>(64), zeros<int>(128), zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
