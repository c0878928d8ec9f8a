// A table of indices is allocated, and nobody fills it.
#include "planted.hpp"

__global__ void gather(const int *index, const int *in, int *out) {
    int i = threadIdx.x;
    int from = index[i]; //^
    out[i] = in[from]; //~ init/address
}

int main() {
    int *index;
    HIP(hipMalloc(&index, 64 * sizeof(int)));
#ifndef MISTAKE
    HIP(hipMemset(index, 0, 64 * sizeof(int)));
#endif
    gather<<<1, 64>>>(index, zeros<int>(64), zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
