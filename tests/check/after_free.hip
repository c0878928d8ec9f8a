// The memory is freed before the kernel that uses it.
#include "planted.hpp"

__global__ void scale(float *v, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = by; //~ memory/after-free
}

int main() {
    float *v = zeros<float>(256); //^ and made there
#ifdef MISTAKE
    HIP(hipFree(v)); //^ it was freed here
#endif
    scale<<<2, 128>>>(v, 2);
    HIP(hipDeviceSynchronize());
}
