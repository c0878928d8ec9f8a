// The guard lets one work-item too many through.
#include "planted.hpp"

__global__ void fill(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MISTAKE
    if (i <= n)
#else
    if (i < n)
#endif
        out[i] = i; //~ memory/out-of-bounds
}

int main() {
    int *out = zeros<int>(1024);
    fill<<<9, 128>>>(out, 1024);
    HIP(hipDeviceSynchronize());
}
