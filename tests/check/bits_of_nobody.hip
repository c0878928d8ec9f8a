// The low half of each word is set, whatever stood there, and the high half stays what it was.
#include "planted.hpp"

__global__ void set(unsigned *words) {
    words[threadIdx.x] |= 0xffff;
}

__global__ void test(const unsigned *words, int *out) {
    unsigned word = words[threadIdx.x]; //^
#ifdef MISTAKE
    const int bit = 16;
#else
    const int bit = 15;
#endif
    if (word >> bit & 1) //~ init/exec
        out[threadIdx.x] = 1;
}

int main() {
    unsigned *words;
    HIP(hipMalloc(&words, 64 * sizeof(unsigned)));
    set<<<1, 64>>>(words);
    test<<<1, 64>>>(words, zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
