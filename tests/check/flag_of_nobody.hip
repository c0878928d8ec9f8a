// A kernel waits for a flag that nobody raises.
// Options: --timeout 5
#include "planted.hpp"

__global__ void wait(volatile int *flag, int *out) {
    while (*flag == 0) //~ sync/no-end
        ;
    out[threadIdx.x] = *flag;
}

int main() {
    int *memory = zeros<int>(65);
    int raised = 1;
#ifndef MISTAKE
    HIP(hipMemcpy(memory, &raised, sizeof raised, hipMemcpyHostToDevice));
#endif
    wait<<<1, 64>>>(memory, memory + 1);
    HIP(hipDeviceSynchronize());
}
