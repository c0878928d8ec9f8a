// A number from outside is an index into an array on the stack.
#include "planted.hpp"

__global__ void pick(const int *at, int *out) {
    int seen[512];
    for (int i = 0; i < 512; i++) seen[i] = i * i;
    seen[at[threadIdx.x]] = 7; //~ memory/stack-overflow
    out[threadIdx.x] = seen[at[threadIdx.x + 1] & 511];
}

int main() {
    int values[65] = {};
#ifdef MISTAKE
    values[20] = 100000;
#endif
    int *at = zeros<int>(65);
    HIP(hipMemcpy(at, values, sizeof values, hipMemcpyHostToDevice));
    pick<<<1, 64>>>(at, zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
