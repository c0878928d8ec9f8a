// One of two buffers was never allocated.
#include "planted.hpp"

__global__ void copy(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; } //~ memory/out-of-bounds

int main() {
    int *out = zeros<int>(64);
    int *in = nullptr;
#ifndef MISTAKE
    in = zeros<int>(64);
#endif
    copy<<<1, 64>>>(in, out);
    HIP(hipDeviceSynchronize());
}
