// Waves go round as often as they have work, with a barrier each time.
#include "planted.hpp"

__global__ void rounds(int *v, const int *counts) {
    __shared__ int tile[128];
    int i = threadIdx.x;
#ifdef MISTAKE
    int count = counts[__builtin_amdgcn_readfirstlane(i) / 64];
#else
    int count = counts[1];
#endif
    tile[i] = v[i];
    for (int n = 0; n < count; n++) {
        __syncthreads(); //~ sync/barrier-after-end
        if (i == 0) tile[0] += n;
    }
    if (i < 64) v[i] = tile[i];
}

int main() {
    int counts[2] = {2, 4}, *on_device = zeros<int>(2);
    HIP(hipMemcpy(on_device, counts, sizeof counts, hipMemcpyHostToDevice));
    rounds<<<1, 128>>>(zeros<int>(128), on_device);
    HIP(hipDeviceSynchronize());
}
