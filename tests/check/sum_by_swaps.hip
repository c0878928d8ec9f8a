// An atomic sum of floats that is made of compare-and-swaps, as for chips without the instruction.
#include "planted.hpp"

__device__ void add(float *sum, float value) {
#ifdef MISTAKE
    *sum += value; //~ race/write-read
#else
    unsigned *bits = reinterpret_cast<unsigned *>(sum);
    unsigned before = *bits, expected;
    do {
        expected = before;
        before = atomicCAS(bits, expected, __float_as_uint(__uint_as_float(expected) + value));
    } while (before != expected);
#endif
}

__global__ void total(float *sum) {
    if (threadIdx.x % 64 == 0) add(sum, threadIdx.x);
}

int main() {
    total<<<2, 128>>>(zeros<float>(1));
    HIP(hipDeviceSynchronize());
}
