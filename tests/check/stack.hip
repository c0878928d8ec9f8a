// Work-items push nodes on a lock-free stack, whose head they read plainly before they swap it.
#include "planted.hpp"

__global__ void push(int *head, int *next, int *pushed) {
    int node = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int first = *head;
    while (true) {
        next[node] = first;
        __threadfence();
        int now = atomicCAS(head, first, node);
        if (now == first) break;
        first = now;
    }
#ifdef MISTAKE
    pushed[0]++; //~ race/write-read
#else
    atomicAdd(pushed, 1);
#endif
}

int main() {
    push<<<4, 128>>>(zeros<int>(1), zeros<int>(513), zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
