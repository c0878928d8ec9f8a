// The work-items without work leave before a barrier; they are a whole wave.
#include "planted.hpp"

__global__ void reverse(const int *in, int *out, int n) {
    __shared__ int tile[128];
    int i = threadIdx.x;
#ifdef MISTAKE
    if (i >= n) return;
    tile[i] = in[i];
#else
    if (i < n) tile[i] = in[i];
#endif
    __syncthreads(); //~ sync/barrier-after-end
    if (i < n) out[i] = tile[n - 1 - i];
}

int main() {
    reverse<<<1, 128>>>(zeros<int>(64), zeros<int>(64), 64);
    HIP(hipDeviceSynchronize());
}
