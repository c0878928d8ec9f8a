// Many work-items raise few counts without atomics, by one line: they read too early, and store other values than their neighbours.
#include "planted.hpp"

__global__ void count(const int *keys, int *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MISTAKE
    counts[keys[i] & 3] += i; //~ race/read-write+race/lanes
#else
    atomicAdd(&counts[keys[i] & 3], i);
#endif
}

int main() {
    int keys[256];
    for (int i = 0; i < 256; i++) keys[i] = i / 8;
    int *counts = zeros<int>(4);
    count<<<2, 128>>>(copied(keys), counts);
    HIP(hipDeviceSynchronize());
}
