// The last work-item reads its right neighbour, which is not there.
#include "planted.hpp"

__global__ void slope(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MISTAKE
    if (i < n)
#else
    if (i < n - 1)
#endif
        out[i] = in[i + 1] * 0.5f; //~ memory/out-of-bounds
}

int main() {
    float *in = zeros<float>(1024), *out = zeros<float>(1024);
    slope<<<8, 128>>>(in, out, 1024);
    HIP(hipDeviceSynchronize());
}
