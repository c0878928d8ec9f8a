// The default stream does not wait for a stream that was made not to block it: the host reads the sum before it is there.
#include "planted.hpp"

__global__ void sum(const int *v, int *out) {
    int all = 0;
    for (int i = 0; i < 256; i++)
        all += v[i];
    *out = all; //~ race/host-copy
}

int main() {
    int *v = zeros<int>(256), *out = zeros<int>(1), host;
    hipStream_t stream;
    HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    HIP(hipDeviceSynchronize());
    sum<<<1, 1, 0, stream>>>(v, out); //^
#ifndef MISTAKE
    HIP(hipStreamSynchronize(stream));
#endif
    HIP(hipMemcpy(&host, out, sizeof(int), hipMemcpyDeviceToHost)); //^
    HIP(hipDeviceSynchronize());
    HIP(hipFree(v));
    HIP(hipFree(out));
}
