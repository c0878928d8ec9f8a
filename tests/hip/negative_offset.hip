// A private array indexed from its end: from gfx9 on compilers fold constants into the offset of the instruction, and what is
// left in the register is below zero.
#include "check.hpp"

constexpr int ENTRIES = 17, COUNT = 4096;

// Counts multiples of each power of two, those of the highest one first.
__host__ __device__ inline void count(double *sums, int first) {
    for (int i = 0; i < ENTRIES; i++) sums[i] = 0;
    for (int k = first ? first : 64; k < COUNT; k += 64) sums[ENTRIES - unsigned(log2f(float(k & -k)) + 1)] += k;
}

__global__ void counts(double *out) {
    double sums[ENTRIES];
    count(sums, threadIdx.x);
    for (int i = 0; i < ENTRIES; i++) out[threadIdx.x * ENTRIES + i] = sums[i];
}

int main() {
    Device<double> device(64 * ENTRIES);
    counts<<<1, 64>>>(device);
    auto got = device.host();
    for (int lane = 0; lane < 64; lane++) {
        double sums[ENTRIES];
        count(sums, lane);
        for (int i = 0; i < ENTRIES; i++) {
            double have = got[lane * ENTRIES + i];
            CHECK(have == sums[i], "sum %d of work-item %d is %g, expected %g", i, lane, have, sums[i]);
        }
    }
    return ok("negative_offset");
}
