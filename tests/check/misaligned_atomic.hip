// A count of 64 bits lies behind one of 32, as in a packed record.
#include "planted.hpp"

__global__ void count(unsigned *words, int at) {
    auto total = (unsigned long long *)(words + at);
    atomicAdd(total, (unsigned long long)threadIdx.x + 1); //~ memory/misaligned
}

int main() {
#ifdef MISTAKE
    int at = 1;
#else
    int at = 2;
#endif
    count<<<1, 64>>>(zeros<unsigned>(4), at);
    HIP(hipDeviceSynchronize());
}
