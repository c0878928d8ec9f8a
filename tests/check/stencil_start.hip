// The first work-item reads before the start.
#include "planted.hpp"

__global__ void slope(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef MISTAKE
    if (i > 0)
#endif
        out[i] = in[i - 1] * 0.5f; //~ memory/out-of-bounds
}

int main() {
    float *in = zeros<float>(256), *out = zeros<float>(256);
    slope<<<2, 128>>>(in, out);
    HIP(hipDeviceSynchronize());
}
