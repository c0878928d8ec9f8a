// Some waves swap a flag, others read it plainly on the other side of the branch.
#include "planted.hpp"

__global__ void claim(int *flag, int *before) {
    int i = threadIdx.x;
    if (i < 64) before[i] = atomicCAS(flag, 0, 1);
#ifdef MISTAKE
    else before[i] = *flag; //~ race/write-read
#else
    else before[i] = atomicAdd(flag, 0);
#endif
}

int main() {
    claim<<<1, 128>>>(zeros<int>(1), zeros<int>(128));
    HIP(hipDeviceSynchronize());
}
