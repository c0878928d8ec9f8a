// Only loads may go on past the end of device memory: a store there ends the program.
// Ends: fault
// Says: lane 1
// Says: a store of 4 bytes at 0x
// Says: which ends directly before it
#include "check.hpp"

__global__ void write(int *out, int at) { out[at + threadIdx.x] = 1; }

int main() {
    Device<int> out(1024);
    write<<<1, 64>>>(out, 960);
    HIP(hipDeviceSynchronize());
    write<<<1, 64>>>(out, 1023);
    if (hipDeviceSynchronize() == hipSuccess) fail("the program goes on after a store past the end");
    abort(); // an error of HIP is as good as the abort of ROCm 5
}
