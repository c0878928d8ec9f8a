// A wave looks at values before the other one has stored them: what it reads has never been written, which is not a second mistake. The
// values after them are not stored by any wave.
#include "planted.hpp"

__global__ void look(int *values, int *out) {
    int i = threadIdx.x;
#ifndef MISTAKE
    values[i] = i;
    __syncthreads();
#endif
    if (values[127 - i] > 3) out[i] = 1; //^
#ifdef MISTAKE
    values[i] = i; //~ race/read-write+init/exec
#endif
}

__global__ void look_beyond(int *values, int *out) {
    int i = threadIdx.x;
#ifndef MISTAKE
    values[i] = values[i + 128] = i;
    __syncthreads();
#endif
    if (values[(i + 64) % 192] > 3) out[i] = 1; //~ init/exec
#ifdef MISTAKE
    values[i] = i; //~ race/read-write
#endif
}

int main() {
    int *values, *out = zeros<int>(128);
    HIP(hipMalloc(&values, 256 * sizeof(int)));
    look<<<1, 128>>>(values, out);
    HIP(hipDeviceSynchronize());
    HIP(hipFree(values));
    HIP(hipMalloc(&values, 256 * sizeof(int)));
    look_beyond<<<1, 128>>>(values, out);
    HIP(hipDeviceSynchronize());
}
