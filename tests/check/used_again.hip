// Memory that was freed and is allocated again holds nothing.
#include "planted.hpp"

__global__ void gather(const int *index, const int *in, int *out) {
    out[threadIdx.x] = in[index[threadIdx.x]]; //~ init/address
}

int main() {
    int *index = zeros<int>(1 << 20);
#ifdef MISTAKE
    HIP(hipFree(index));
    HIP(hipMalloc(&index, sizeof(int) << 20));
#endif
    gather<<<1, 64>>>(index, zeros<int>(64), zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
