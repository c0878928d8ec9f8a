// A recursion of one wave that outgrows its stack is stopped before it reaches the private memory of the other waves of its
// work-group: its frames are saved by way of a buffer descriptor that covers the scratch of all.
// Ends: fault
// Says: stack overflow: a store of
// Says: of the work-item's stack, which has
// Says: called by dive(int, int) (
// Says: times), overflow(int*, int)
// Says: = help: `launch --stack BYTES`, `run --stack BYTES` or WAVETANK_STACK gives each work-item so many bytes more
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

__device__ __noinline__ int dive(int depth, int x) {
    if (depth <= 0) return x;
    int below = dive(depth - 1, x * 3 + 1);
    return below + dive(0, below) + x;
}

__global__ void overflow(int *changed, int depth) {
    volatile int own[32];
    for (int i = 0; i < 32; i++) own[i] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 64) changed[blockDim.x] = dive(depth, threadIdx.x);
    __syncthreads();
    int count = 0;
    for (int i = 0; i < 32; i++) count += own[i] != int(threadIdx.x);
    changed[threadIdx.x] = count;
}

int main() {
    Device<int> changed(513);
    // As deep as the 16 KiB hold that the compiler assumes.
    overflow<<<1, 512>>>(changed, 500);
    auto none = changed.host();
    for (int i = 0; i < 512; i++) CHECK(none[i] == 0, "the array of work-item %d has changed", i);
    overflow<<<1, 512>>>(changed, 3000);
    if (hipDeviceSynchronize() == hipSuccess) fail("the program goes on after its stack overflowed");
    abort(); // an error of HIP is as good as the abort of ROCm 5
}
