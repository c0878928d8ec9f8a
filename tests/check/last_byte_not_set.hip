// A vector is cleared up to its last byte, which the last number then has.
// Options: --tools init,init/read
#include "planted.hpp"

__global__ void twice(const int *a, int *b, int n) {
    if (threadIdx.x < n)
        b[threadIdx.x] = a[threadIdx.x] * 2; //~ init/read
}

int main() {
    const int n = 123;
    int *a, *b;
    HIP(hipMalloc(&a, n * sizeof(int)));
    HIP(hipMalloc(&b, n * sizeof(int)));
#ifdef MISTAKE
    HIP(hipMemset(a, 0, n * sizeof(int) - 1));
#else
    HIP(hipMemset(a, 0, n * sizeof(int)));
#endif
    twice<<<1, n>>>(a, b, n);
    HIP(hipDeviceSynchronize());
    HIP(hipFree(a));
    HIP(hipFree(b));
}
