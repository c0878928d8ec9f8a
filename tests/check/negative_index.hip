// The remainder of a negative number is negative in C++: the bin lies before the bins.
#include "planted.hpp"

__global__ void count(const int *in, int *bins) {
    int value = in[threadIdx.x];
#ifdef MISTAKE
    int bin = value % 8;
#else
    int bin = unsigned(value) % 8;
#endif
    atomicAdd(&bins[bin], 1); //~ memory/out-of-bounds
}

int main() {
    int values[64];
    for (int i = 0; i < 64; i++) values[i] = i - 5;
    int *in = zeros<int>(64), *bins = zeros<int>(8);
    HIP(hipMemcpy(in, values, sizeof values, hipMemcpyHostToDevice));
    count<<<1, 64>>>(in, bins);
    HIP(hipDeviceSynchronize());
}
