// Two tiles that take turns need one barrier each time; here it is missing.
#include "planted.hpp"

__global__ void smooth(const int *in, int *out, int rounds) {
    __shared__ int tile[2][256];
    int i = threadIdx.x;
    tile[0][i] = in[i];
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        int from = round & 1;
        int sum = tile[from][i] + tile[from][(i + 1) & 255]; //^
        tile[!from][i] = sum; //~ race/read-write
#ifndef MISTAKE
        __syncthreads();
#endif
    }
#ifdef MISTAKE
    __syncthreads();
#endif
    out[i] = tile[rounds & 1][i];
}

int main() {
    smooth<<<1, 256>>>(zeros<int>(256), zeros<int>(256), 5);
    HIP(hipDeviceSynchronize());
}
