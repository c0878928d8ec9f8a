// Device printf reaches the terminal, in the order of one thread's calls.
// Prints: block 2 of 3 lane 1: text, -7, 4294967295, 1.500, 0x2a, c, 100%
// Prints: block 0 of 3 lane 0: text, -7, 4294967295, 1.500, 0x2a, c, 100%
// Prints: first
// Prints: second 123456789012345
// Prints: a line of 60 letters: abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

__global__ void print() {
    if (threadIdx.x < 2)
        printf("block %d of %d lane %u: %s, %d, %u, %.3f, %#x, %c, 100%%\n", int(blockIdx.x), int(gridDim.x), unsigned(threadIdx.x),
               "text", -7, 4294967295u, 1.5, 42, 'c');
}

__global__ void two_lines(int *lengths) {
    lengths[0] = printf("first\n");
    lengths[1] = printf("second %lld\n", 123456789012345ll);
    printf("a line of 60 letters: %s\n", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh");
}

int main() {
    print<<<3, 64>>>();
    HIP(hipDeviceSynchronize());
    Device<int> lengths(2);
    two_lines<<<1, 1>>>(lengths);
    HIP(hipDeviceSynchronize());
    auto got = lengths.host();
    CHECK(got[0] >= 0 && got[1] >= 0, "printf returned %d and %d", got[0], got[1]);
    fflush(stdout);
    return ok("printf");
}
