// The tail of a tile is not filled before all of the tile is added up, and the host gets the sum.
#include "planted.hpp"

__global__ void sum(const int *in, int *out, int n) {
    __shared__ int tile[256];
    int i = threadIdx.x;
    if (i < n) tile[i] = in[i];
#ifndef MISTAKE
    else tile[i] = 0;
#endif
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (i < half) tile[i] += tile[i + half];
        __syncthreads();
    }
    if (i == 0) *out = tile[0]; //~ init/store
}

int main() {
    int *out = zeros<int>(1), total;
    sum<<<1, 256>>>(zeros<int>(200), out, 200);
    HIP(hipMemcpy(&total, out, sizeof total, hipMemcpyDeviceToHost));
}
