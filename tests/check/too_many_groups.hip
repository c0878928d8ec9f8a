// A barrier of all work-groups, of which the chip does not hold as many at once: each takes all LDS of its compute unit.
// Options: --timeout 5
#include "planted.hpp"

#ifdef MISTAKE
constexpr int GROUPS = 65;
#else
constexpr int GROUPS = 64;
#endif

__global__ void meet(unsigned *here, int *out) {
    __shared__ volatile int room[16384];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __hip_atomic_fetch_add(here, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
        while (__hip_atomic_load(here, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < GROUPS) //~ sync/no-end
            ;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = room[63 - threadIdx.x];
}

int main() {
    int *memory = zeros<int>(1 + 64 * GROUPS);
    meet<<<GROUPS, 64>>>((unsigned *)memory, memory + 1);
    HIP(hipDeviceSynchronize());
}
