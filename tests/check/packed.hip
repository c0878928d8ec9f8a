// A value is handed over with its flag. In one store of both nobody needs a fence, in two stores the writer does.
#include "planted.hpp"

typedef unsigned long long Packed;

// Value and flag side by side, stored and loaded at once.
__global__ void together(const int *in, Packed *states, int *out) {
    if (threadIdx.x != 0) return;
    Packed *state = &states[blockIdx.x];
    int sum = in[blockIdx.x];
    if (blockIdx.x > 0) {
        Packed before;
        do {
            before = __hip_atomic_load(state - 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        } while (before >> 32 == 0);
        sum += (int)before;
    }
    __hip_atomic_store(state, 1ull << 32 | (unsigned)sum, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    out[blockIdx.x] = sum;
}

__global__ void apart(const int *in, int *sums, int *flags, int *out) {
    if (threadIdx.x != 0) return;
    int sum = in[blockIdx.x];
    if (blockIdx.x > 0) {
        while (__hip_atomic_load(&flags[blockIdx.x - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {}
        sum += sums[blockIdx.x - 1]; //~ race/write-read
    }
    sums[blockIdx.x] = sum; //^
    __hip_atomic_store(&flags[blockIdx.x], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); //^
    out[blockIdx.x] = sum;
}

// Places from a counter: each is one work-item's own.
__global__ void compact(const int *in, int *count, int *out) {
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int round = 0; round < 2; round++) {
        if (value % 2 == 0) out[atomicAdd(count, 1)] = value;
    }
}

int main() {
    together<<<8, 64>>>(zeros<int>(8), zeros<Packed>(8), zeros<int>(8));
    compact<<<4, 256>>>(zeros<int>(1024), zeros<int>(1), zeros<int>(2048));
#ifdef MISTAKE
    apart<<<8, 64>>>(zeros<int>(8), zeros<int>(8), zeros<int>(8), zeros<int>(8));
#endif
    HIP(hipDeviceSynchronize());
}
