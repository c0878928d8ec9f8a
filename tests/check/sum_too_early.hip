// A sum is read while other work-groups add to it.
#include "planted.hpp"

__global__ void sum(const int *in, int *total, float *mean) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(total, in[i]); //~ race/read-write
#ifdef MISTAKE
    mean[i] = total[0] / 256.f; //^
#endif
}

int main() {
    sum<<<4, 64>>>(zeros<int>(256), zeros<int>(1), zeros<float>(256));
    HIP(hipDeviceSynchronize());
}
