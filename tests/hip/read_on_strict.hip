// With --strict a buffer ends with its last byte, for loads too.
// Options: --strict
// Ends: fault
// Says: lane 50
// Says: a load of 4 bytes at 0x
// Says: which ends directly before it
#include "check.hpp"

__global__ void read(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
    Device<int> in(std::vector<int>(50, 7)), out(64);
    read<<<1, 50>>>(in, out);
    HIP(hipDeviceSynchronize());
    read<<<1, 64>>>(in, out);
    if (hipDeviceSynchronize() == hipSuccess) fail("the program goes on after a load past the end");
    abort(); // an error of HIP is as good as the abort of ROCm 5
}
