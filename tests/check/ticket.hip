// Work-items take their places in the output from a counter that nobody has set to 0.
#include "planted.hpp"

__global__ void compact(const int *in, int *counter, int *out) {
    int value = in[threadIdx.x];
    if (value == 0) {
        int place = atomicAdd(counter, 1); //^
        out[place] = value; //~ init/address
    }
}

int main() {
    int *counter;
    HIP(hipMalloc(&counter, sizeof *counter));
#ifndef MISTAKE
    HIP(hipMemset(counter, 0, sizeof *counter));
#endif
    compact<<<1, 64>>>(zeros<int>(64), counter, zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
