// Two kinds of waves, each with its own barrier.
#include "planted.hpp"

__global__ void halves(const int *in, int *out) {
    __shared__ int tile[128];
    int i = threadIdx.x;
#ifdef MISTAKE
    if (__builtin_amdgcn_readfirstlane(i) < 64) {
        tile[i] = in[i];
        __syncthreads(); //^
        out[i] = tile[i + 64];
    } else {
        tile[i] = -in[i];
        __syncthreads(); //~ sync/different-barriers
        out[i] = tile[i - 64] * 3;
    }
#else
    bool first = __builtin_amdgcn_readfirstlane(i) < 64;
    tile[i] = first ? in[i] : -in[i];
    __syncthreads();
    out[i] = first ? tile[i + 64] : tile[i - 64] * 3;
#endif
}

int main() {
    halves<<<1, 128>>>(zeros<int>(128), zeros<int>(128));
    HIP(hipDeviceSynchronize());
}
