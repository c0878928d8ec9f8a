// A mask that a kernel before should have written: it wrote that of the first half only.
#include "planted.hpp"

__global__ void classify(const float *in, bool *keep, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keep[i] = in[i] > 0.5f;
}

__global__ void sum(const float *in, const bool *keep, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (keep[i]) //~ init/exec
        atomicAdd(&out[i / 64], in[i]);
}

int main() {
    float *in = zeros<float>(256);
    bool *keep;
    HIP(hipMalloc(&keep, 256));
#ifdef MISTAKE
    int n = 128;
#else
    int n = 256;
#endif
    classify<<<4, 64>>>(in, keep, n);
    sum<<<4, 64>>>(in, keep, zeros<float>(4));
    HIP(hipDeviceSynchronize());
}
