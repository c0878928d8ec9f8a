// Work-items go by a value that half of them have not got, in a switch within a loop.
#include "planted.hpp"

__global__ void count(const unsigned *of, unsigned *steps) {
    unsigned n = of[threadIdx.x], all = 0;
    while (n > 3) { //~ init/exec
        switch (n % 3) {
        case 0: n /= 3; break;
        case 1: n -= 1; break;
        default: n += 1;
        }
        all++;
    }
    steps[threadIdx.x] = all;
}

int main() {
    unsigned numbers[64];
    for (unsigned i = 0; i < 64; i++) numbers[i] = 100 + i;
    unsigned *of, *steps = zeros<unsigned>(64);
    HIP(hipMalloc(&of, sizeof numbers));
#ifdef MISTAKE
    size_t known = 32;
#else
    size_t known = 64;
#endif
    HIP(hipMemcpy(of, numbers, known * sizeof(unsigned), hipMemcpyHostToDevice));
    count<<<1, 64>>>(of, steps);
    HIP(hipDeviceSynchronize());
}
