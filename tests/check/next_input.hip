// The next input is copied over the one that a kernel may still read. The host has to wait before it asks for the copy.
#include "planted.hpp"

__global__ void sum(const int *in, int *out) {
    int all = 0;
    for (int i = 0; i < 64; i++)
        all += in[i * blockDim.x + threadIdx.x]; //~ race/host-copy
    out[threadIdx.x] = all;
}

int main() {
    const int count = 64 * 64;
    int *in = zeros<int>(count), *out = zeros<int>(64), *host;
    HIP(hipHostMalloc((void **)&host, count * sizeof(int)));
    hipStream_t computing, copying;
    HIP(hipStreamCreateWithFlags(&computing, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&copying, hipStreamNonBlocking));
    HIP(hipMemcpyAsync(in, host, count * sizeof(int), hipMemcpyHostToDevice, copying));
    HIP(hipStreamSynchronize(copying));
    sum<<<1, 64, 0, computing>>>(in, out); //^
#ifndef MISTAKE
    HIP(hipStreamSynchronize(computing));
#endif
    HIP(hipMemcpyAsync(in, host, count * sizeof(int), hipMemcpyHostToDevice, copying)); //^
    HIP(hipDeviceSynchronize());
    HIP(hipFree(in));
    HIP(hipFree(out));
    HIP(hipHostFree(host));
}
