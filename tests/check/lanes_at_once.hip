// All work-items of a wave store their number to one place of shared memory.
// Options: --tools race --lanes
#include "planted.hpp"

__global__ void last(int *out) {
    __shared__ int chosen;
    int i = threadIdx.x;
#ifdef MISTAKE
    chosen = i; //~ race/lanes
#else
    if (i == 63) chosen = i;
#endif
    __syncthreads();
    out[i] = chosen;
}

int main() {
    last<<<1, 64>>>(zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
