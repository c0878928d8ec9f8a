// All lanes of a wave store to one place: which of their values stays nobody can know.
#include "planted.hpp"

__global__ void any(const int *in, int *found, int *last, int *chosen) {
    int i = threadIdx.x;
    // Equal values are no mistake.
    if (in[i] == 0) *found = 1;
    // One lane of those that have stored is chosen: all look who it is.
    volatile int *winner = chosen + 1;
    chosen[0] = i;
    __threadfence_block();
    if (chosen[0] == i) *winner = i;
#ifdef MISTAKE
    *last = in[i]; //~ race/lanes
#else
    if (i == 0) *last = in[i];
#endif
}

int main() {
    int *in = zeros<int>(64), values[64];
    for (int i = 0; i < 64; i++) values[i] = i;
    HIP(hipMemcpy(in, values, sizeof values, hipMemcpyHostToDevice));
    any<<<1, 64>>>(in, zeros<int>(1), zeros<int>(1), zeros<int>(2));
    HIP(hipDeviceSynchronize());
}
