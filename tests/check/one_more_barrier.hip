// The first wave meets a barrier that the others do not come by.
#include "planted.hpp"

__global__ void sum(const int *in, int *out) {
    __shared__ int part[128];
    int i = threadIdx.x;
    part[i] = in[i];
#ifdef MISTAKE
    if (__builtin_amdgcn_readfirstlane(i) < 64) {
        __syncthreads(); //~ sync/different-barriers
    }
#endif
    __syncthreads(); //~ sync/barrier-after-end
    out[i] = part[i ^ 64];
}

int main() {
    sum<<<1, 128>>>(zeros<int>(128), zeros<int>(128));
    HIP(hipDeviceSynchronize());
}
