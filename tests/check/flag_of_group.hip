// A fence that orders the work-items of a work-group is used between work-groups.
// Note: 1 load was not compared
#include "planted.hpp"

__global__ void hand_over(const int *in, int *value, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *value = in[0] + 1; //^
#ifdef MISTAKE
        __threadfence_block();
#else
        __threadfence();
#endif
        atomicExch(flag, 1);
    } else if (atomicAdd(flag, 0) == 1) {
        __threadfence();
        *out = *value; //~ race/write-read
    }
}

int main() {
    hand_over<<<2, 64>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1), zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
