// One work-group sets a counter to 0 while others count.
#include "planted.hpp"

__global__ void count(const int *in, int *counter) {
#ifdef MISTAKE
    if (blockIdx.x == 3 && threadIdx.x == 0) *counter = 0; //~ race/write-write
#endif
    if (in[blockIdx.x * blockDim.x + threadIdx.x] == 0) atomicAdd(counter, 1); //^
}

int main() {
    count<<<4, 64>>>(zeros<int>(256), zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
