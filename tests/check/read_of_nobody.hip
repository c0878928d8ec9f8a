// A vector is added to before it is cleared, and never comes back to the host.
// Options: --tools init,init/read
#include "planted.hpp"

__global__ void add(int *v) {
    v[threadIdx.x] += threadIdx.x; //~ init/read
}

int main() {
    int *v;
    HIP(hipMalloc(&v, 256 * sizeof(int)));
#ifndef MISTAKE
    HIP(hipMemset(v, 0, 256 * sizeof(int)));
#endif
    add<<<1, 256>>>(v);
    HIP(hipDeviceSynchronize());
    HIP(hipFree(v));
}
