// Four values are read at once, and their number is no multiple of four.
#include "planted.hpp"

__global__ void scale(const float *in, float *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#ifdef MISTAKE
    if (i >= n) return;
#else
    if (i + 4 > n) return;
#endif
    float4 v = *(const float4 *)(in + i); //~ memory/out-of-bounds
    out[i / 4] = v.x + v.y + v.z + v.w;
}

int main() {
    // The values end where the memory does.
    float *in = zeros<float>(1024) + 2;
    scale<<<4, 64>>>(in, zeros<float>(256), 1022);
    HIP(hipDeviceSynchronize());
}
