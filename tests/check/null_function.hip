// A table of functions is filled by a kernel, but for one.
#include "planted.hpp"

typedef int (*Step)(int);

__device__ __attribute__((noinline)) int twice(int x) {
    return 2 * x;
}

__device__ __attribute__((noinline)) int next(int x) {
    return x + 1;
}

__device__ Step steps[2];

__global__ void fill() {
    steps[0] = twice;
#ifndef MISTAKE
    steps[1] = next;
#endif
}

__global__ void walk(int *out, int which) {
    out[threadIdx.x] = steps[which](threadIdx.x); //~ memory/code
}

int main() {
    int *out = zeros<int>(64);
    fill<<<1, 1>>>();
    walk<<<1, 64>>>(out, 0);
    walk<<<1, 64>>>(out, 1);
    HIP(hipDeviceSynchronize());
}
