// A copy to the host on another stream than the kernel that makes the values: it has to wait for an event behind the kernel.
#include "planted.hpp"

__global__ void squares(int *v) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = i * i; //~ race/host-copy
}

int main() {
    const int count = 4096;
    int *v = zeros<int>(count), *host;
    HIP(hipHostMalloc((void **)&host, count * sizeof(int)));
    hipStream_t computing, copying;
    HIP(hipStreamCreateWithFlags(&computing, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&copying, hipStreamNonBlocking));
    hipEvent_t made;
    HIP(hipEventCreateWithFlags(&made, hipEventDisableTiming));
    HIP(hipDeviceSynchronize());
    squares<<<count / 256, 256, 0, computing>>>(v); //^
    HIP(hipEventRecord(made, computing));
#ifndef MISTAKE
    HIP(hipStreamWaitEvent(copying, made, 0));
#endif
    HIP(hipMemcpyAsync(host, v, count * sizeof(int), hipMemcpyDeviceToHost, copying)); //^
    HIP(hipDeviceSynchronize());
    HIP(hipFree(v));
    HIP(hipHostFree(host));
}
