// Half of the flags in LDS are never set, and decide who writes.
#include "planted.hpp"

__global__ void choose(const int *in, int *out) {
    __shared__ int flags[128];
    int i = threadIdx.x;
#ifdef MISTAKE
    if (i < 64) flags[i] = in[i];
#else
    flags[i] = in[i];
#endif
    __syncthreads();
    if (flags[i ^ 64] > 3) //~ init/exec
        out[i] = 1;
}

int main() {
    choose<<<1, 128>>>(zeros<int>(128), zeros<int>(128));
    HIP(hipDeviceSynchronize());
}
