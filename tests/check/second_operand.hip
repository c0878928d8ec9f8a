// One of two vectors that are added was never copied to the device; the host gets the sums.
#include "planted.hpp"

__global__ void add(const float *a, const float *b, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float right = b[i]; //^
    out[i] = a[i] + right; //~ init/store
}

int main() {
    float host[256] = {}, *b, *out;
    HIP(hipMalloc(&b, sizeof host));
    HIP(hipMalloc(&out, sizeof host));
#ifndef MISTAKE
    HIP(hipMemcpy(b, host, sizeof host, hipMemcpyHostToDevice));
#endif
    add<<<4, 64>>>(zeros<float>(256), b, out);
    HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
}
