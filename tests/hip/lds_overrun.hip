// Accesses beyond the LDS of a kernel have the result that the ISA gives them (Vega ISA, 3.6.2: reads are 0, writes are
// dropped), and are told once.
// Says: kernel `overrun(int*, int)` went beyond its LDS 3 times, first at `
// Says: lane 0: a store of 4 bytes at offset 64 of an LDS of 64 bytes; there loads give 0 and stores are dropped
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

__global__ void overrun(int *out, int n) {
    __shared__ volatile int cells[16];
    if (threadIdx.x < 16) cells[threadIdx.x] = 7;
    __syncthreads();
    if (threadIdx.x == 0) {
        cells[n] = 9;
        cells[n + 20000] = 9;
        out[16] = cells[n];
    }
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = cells[threadIdx.x];
}

int main() {
    Device<int> out(17);
    for (int run = 0; run < 2; run++) {
        overrun<<<1, 64>>>(out, 16);
        auto got = out.host();
        for (int i = 0; i < 16; i++) CHECK(got[i] == 7, "cell %d is %d", i, got[i]);
        CHECK(got[16] == 0, "what is beyond is %d", got[16]);
    }
    return ok("lds_overrun");
}
