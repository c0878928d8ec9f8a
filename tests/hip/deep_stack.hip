// The recursion of stack_overflow.hip, with a stack that is large enough.
// Options: --stack 65536
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

__host__ __device__ __attribute__((noinline)) unsigned dive(int depth, unsigned x) {
    if (depth <= 0) return x;
    unsigned below = dive(depth - 1, x * 3 + 1);
    return below + dive(0, below) + x;
}

__global__ void deep(unsigned *out, int depth) { out[threadIdx.x] = dive(depth, threadIdx.x); }

int main() {
    Device<unsigned> out(64);
    deep<<<1, 64>>>(out, 3000);
    auto got = out.host();
    for (int i = 0; i < 64; i++) CHECK(got[i] == dive(3000, i), "item %d has %u, not %u", i, got[i], dive(3000, i));
    return ok("deep_stack");
}
