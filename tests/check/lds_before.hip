// The first work-item reads before the start of the LDS.
#include "planted.hpp"

__global__ void slope(const int *in, int *out) {
    extern __shared__ int tile[];
    int i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
#ifndef MISTAKE
    if (i > 0)
#endif
        out[i] = tile[i - 1]; //~ memory/lds
}

int main() {
    slope<<<1, 128, 128 * sizeof(int)>>>(zeros<int>(128), zeros<int>(128));
    HIP(hipDeviceSynchronize());
}
