// One element too few is copied to the device; a kernel passes all of them on to the host.
#include "planted.hpp"

__global__ void twice(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 2; //~ init/store
}

int main() {
    const int n = 256;
    int host[n] = {}, *in, *out;
    HIP(hipMalloc(&in, sizeof host));
    HIP(hipMalloc(&out, sizeof host));
#ifdef MISTAKE
    size_t bytes = (n - 1) * sizeof(int);
#else
    size_t bytes = n * sizeof(int);
#endif
    HIP(hipMemcpy(in, host, bytes, hipMemcpyHostToDevice));
    twice<<<4, 64>>>(in, out);
    HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
}
