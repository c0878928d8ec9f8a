// A store through a pointer to the wrong thing: to a function.
#include "planted.hpp"

__device__ __noinline__ int twice(int v) { return v * 2; }
typedef int (*Function)(int);
__device__ Function of_code = twice;

__global__ void store(int *out) {
    int value = of_code(threadIdx.x);
#ifdef MISTAKE
    out = (int *)of_code;
#endif
    out[threadIdx.x] = value; //~ memory/read-only
}

int main() {
    store<<<1, 64>>>(zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
