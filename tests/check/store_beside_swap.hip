// A work-item resets a word by a plain store that others swap. It holds no lock there: its wave's swaps have failed.
#include "planted.hpp"

__global__ void reset(int *word, int *before) {
    int i = threadIdx.x;
    before[i] = atomicCAS(word, 5, 6);
#ifndef MISTAKE
    __syncthreads();
#endif
    if (i == 0) *word = 0; //~ race/read-write
}

int main() {
    reset<<<1, 256>>>(zeros<int>(1), zeros<int>(256));
    HIP(hipDeviceSynchronize());
}
