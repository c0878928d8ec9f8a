// A lock is freed while what was changed behind it is under way.
#include "planted.hpp"

__global__ void deposit(int *lock, int *account) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    account[0] = account[0] + 10; //~ race/write-read
#ifndef MISTAKE
    __threadfence();
#endif
    atomicExch(lock, 0);
}

int main() {
    deposit<<<4, 64>>>(zeros<int>(1), zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
