// One work-item writes what all others read, and they do not wait for it.
#include "planted.hpp"

__global__ void scale(float *v) {
    __shared__ float by;
    if (threadIdx.x == 0) by = v[256]; //~ race/read-write
#ifndef MISTAKE
    __syncthreads();
#endif
    v[threadIdx.x] *= by; //^
}

int main() {
    scale<<<1, 256>>>(zeros<float>(257));
    HIP(hipDeviceSynchronize());
}
