// A failed device assertion names itself and ends the program.
// Ends: fault
// Says: Device-side assertion `value > 0' failed
#include "check.hpp"

#undef NDEBUG
#include <cassert>

__global__ void demand(int value) { assert(value > 0); }

int main() {
    demand<<<1, 64>>>(1);
    HIP(hipDeviceSynchronize());
    demand<<<1, 64>>>(-1);
    (void)hipDeviceSynchronize();
    printf("ok assert\n"); // never reached
    return 0;
}
