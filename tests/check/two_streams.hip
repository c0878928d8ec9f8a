// A kernel makes values on one stream, and another one reads them on a second stream.
#include "planted.hpp"

__global__ void make(int *v) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = i; //^
}

__global__ void twice(const int *in, int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i]; //~ race/kernels
}

int main() {
    const int count = 4096;
    int *in = zeros<int>(count), *out = zeros<int>(count);
    hipStream_t first, second;
    HIP(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    hipEvent_t made;
    HIP(hipEventCreateWithFlags(&made, hipEventDisableTiming));
    HIP(hipDeviceSynchronize());
    make<<<count / 256, 256, 0, first>>>(in); //^
    HIP(hipEventRecord(made, first));
#ifndef MISTAKE
    HIP(hipStreamWaitEvent(second, made, 0));
#endif
    twice<<<count / 256, 256, 0, second>>>(in, out); //^
    HIP(hipDeviceSynchronize());
    HIP(hipFree(in));
    HIP(hipFree(out));
}
