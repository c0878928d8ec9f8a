// Work-groups take a lock before they change a value; one way to it goes past the lock.
// Note: each work-group is a single wave
#include "planted.hpp"

__global__ void deposit(int *lock, int *account) {
    if (threadIdx.x != 0) return;
#ifdef MISTAKE
    bool locks = blockIdx.x != 2;
#else
    bool locks = true;
#endif
    if (locks) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
    }
    account[0] = account[0] + 10; //~ race/write-read
    if (locks) {
        __threadfence();
        atomicExch(lock, 0);
    }
}

int main() {
    deposit<<<4, 64>>>(zeros<int>(1), zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
