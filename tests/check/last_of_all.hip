// Each work-group writes where only one should.
#include "planted.hpp"

__global__ void store(int *out) {
#ifdef MISTAKE
    int to = 0;
#else
    int to = blockIdx.x;
#endif
    if (threadIdx.x == 0) out[to] = blockIdx.x + 1; //~ race/same-store
}

int main() {
    store<<<4, 64>>>(zeros<int>(4));
    HIP(hipDeviceSynchronize());
}
