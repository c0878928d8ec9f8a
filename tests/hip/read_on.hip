// A chip's driver maps device memory in blocks of 2 MiB, and libraries read a little past what they have: such loads give 0,
// and are told once for each kernel. The kernel that says nothing reads the last element and no further.
// Says: kernel `past(int const*, int*)` read past the end of its memory 1020 times, first at `
// Says: lane 4: a load past the end of a buffer in device memory (4096 bytes at 0x
// Says: which begin 0 bytes past it and read as 0; a chip reads on; `--strict` makes it a fault
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

__global__ void past(const int *in, int *out) { out[threadIdx.x + 256 * blockIdx.x] = in[1020 + threadIdx.x + 512 * blockIdx.x]; }

__global__ void inside(const int *in, int *out) { out[threadIdx.x] = in[768 + threadIdx.x]; }

int main() {
    std::vector<int> sevens(1024, 7);
    // Memory that has been used before is no different.
    for (int run = 0; run < 3; run++) {
        Device<int> neighbour(sevens), in(sevens), after(sevens), out(1024);
        past<<<4, 256>>>(in, out);
        auto got = out.host();
        for (int i = 0; i < 1024; i++) CHECK(got[i] == (i < 4 ? 7 : 0), "element %d is %d", i, got[i]);
        inside<<<1, 256>>>(in, out);
        got = out.host();
        for (int i = 0; i < 256; i++) CHECK(got[i] == 7, "element %d is %d", i, got[i]);
        for (auto *other : {&neighbour, &after}) CHECK(other->host() == sevens, "a neighbour has changed");
    }
    // To the end of the block.
    Device<char> large(size_t(3) << 20), out(64);
    const char *end = large + (size_t(4) << 20);
    past<<<1, 1>>>(reinterpret_cast<const int *>(end) - 1021, reinterpret_cast<int *>(out.operator char *()));
    HIP(hipDeviceSynchronize());
    return ok("read_on");
}
