// The size is given in values, and hipMalloc wants bytes.
#include "planted.hpp"

__global__ void fill(double *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; } //~ memory/out-of-bounds

int main() {
    double *out;
#ifdef MISTAKE
    HIP(hipMalloc(&out, 1024));
#else
    HIP(hipMalloc(&out, 1024 * sizeof(double)));
#endif
    fill<<<8, 128>>>(out);
    HIP(hipDeviceSynchronize());
}
