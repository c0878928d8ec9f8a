// The largest value has no bin.
#include "planted.hpp"

__global__ void count(const unsigned *in, unsigned *bins) {
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x]], 1u); //~ memory/out-of-bounds
}

int main() {
    unsigned values[128];
    for (unsigned i = 0; i < 128; i++) values[i] = i % 65 * 16;
#ifdef MISTAKE
    const int count_of_bins = 1024;
#else
    const int count_of_bins = 1025;
#endif
    unsigned *in = zeros<unsigned>(128), *bins = zeros<unsigned>(count_of_bins);
    HIP(hipMemcpy(in, values, sizeof values, hipMemcpyHostToDevice));
    count<<<2, 64>>>(in, bins);
    HIP(hipDeviceSynchronize());
}
