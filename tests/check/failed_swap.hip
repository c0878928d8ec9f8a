// A compare-and-swap that fails writes nothing, so that others may read the value meanwhile; one that succeeds may not.
#include "planted.hpp"

__global__ void compare(int *out, int expected) {
    __shared__ int value;
    int i = threadIdx.x;
    if (i == 0) value = 7;
    __syncthreads();
    if (i < 64) out[i] = atomicCAS(&value, expected, 8);
    else out[i] = value; //~ race/write-read
}

int main() {
#ifdef MISTAKE
    int expected = 7;
#else
    int expected = 9;
#endif
    compare<<<1, 128>>>(zeros<int>(128), expected);
    HIP(hipDeviceSynchronize());
}
