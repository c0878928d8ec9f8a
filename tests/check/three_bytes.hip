// Bytes behind a header of three are read four at a time; the last four are one byte and three that are not there.
#include "planted.hpp"

__global__ void words(const unsigned char *in, unsigned *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#ifdef MISTAKE
    if (i < n)
#else
    if (i + 4 <= n)
#endif
        __builtin_memcpy(&out[i / 4], &in[3 + i], 4); //~ memory/out-of-bounds
}

int main() {
    auto in = zeros<unsigned char>(4096);
    words<<<8, 128>>>(in, zeros<unsigned>(1024), 4093);
    HIP(hipDeviceSynchronize());
}
