// A value is handed over with a flag that is no atomic.
#include "planted.hpp"

__global__ void hand_over(int *value, int *flag, int *out) {
    if (threadIdx.x != 0) return;
#ifdef MISTAKE
    if (blockIdx.x == 0) {
        *value = 42; //^
        *flag = 1; //^
    } else if (*flag == 1) { //~ race/write-read
        *out = *value; //~ race/write-read
    }
#else
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else if (atomicAdd(flag, 0) == 1) {
        __threadfence();
        *out = *value;
    }
#endif
}

int main() {
    hand_over<<<2, 64>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
