// A work-group waits for the flag of another one, which sets it while what it hands over is under way.
#include "planted.hpp"

#ifdef MISTAKE
#define RELEASE __ATOMIC_RELAXED
#else
#define RELEASE __ATOMIC_RELEASE
#endif

__global__ void hand_over(const int *in, int *values, int *flag, int *out) {
    if (blockIdx.x == 0) {
        values[threadIdx.x] = in[threadIdx.x] + 1; //^
        __hip_atomic_store(flag, 1, RELEASE, __HIP_MEMORY_SCOPE_AGENT); //^
    } else {
        while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {}
        out[threadIdx.x] = values[63 - threadIdx.x]; //~ race/write-read
    }
}

int main() {
    hand_over<<<2, 64>>>(zeros<int>(64), zeros<int>(64), zeros<int>(1), zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
