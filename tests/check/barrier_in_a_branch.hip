// Some work-items of a wave do not come by the barrier.
#include "planted.hpp"

__global__ void turn(const int *in, int *out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];
#ifdef MISTAKE
    if (in[i] + i < 40)
        __syncthreads(); //~ sync/barrier-in-some-lanes
#else
    __syncthreads();
#endif
    out[i] = tile[63 - i];
}

int main() {
    turn<<<1, 64>>>(zeros<int>(64), zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
