// Work-groups hand a sum on from one to the next; the fence stands behind the flag, and belongs before it.
#include "planted.hpp"

__global__ void chain(const int *in, int *sums, volatile int *ready) {
    if (threadIdx.x != 0) return;
    int before = 0;
    if (blockIdx.x > 0) {
        while (ready[blockIdx.x - 1] == 0) {}
        __threadfence();
        before = sums[blockIdx.x - 1]; //~ race/write-read
    }
    sums[blockIdx.x] = before + in[blockIdx.x]; //^
#ifdef MISTAKE
    ready[blockIdx.x] = 1; //^
    __threadfence();
#else
    __threadfence();
    ready[blockIdx.x] = 1;
#endif
}

int main() {
    chain<<<8, 64>>>(zeros<int>(8), zeros<int>(8), zeros<int>(8));
    HIP(hipDeviceSynchronize());
}
