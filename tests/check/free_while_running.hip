// The memory is freed while a kernel runs that goes on to use it. hipFree would wait for the kernel, so HSA frees it.
#include "planted.hpp"

#include <dlfcn.h>

__global__ void wait_and_store(volatile int *stage, int *v) {
    stage[0] = 1;
    while (stage[1] == 0)
        ;
    v[threadIdx.x] = 1; //~ memory/after-free
}

int main() {
    int *v = zeros<int>(64); //^
    volatile int *stage;
    HIP(hipHostMalloc((void **)&stage, 2 * sizeof(int), hipHostMallocCoherent));
    stage[0] = stage[1] = 0;
    wait_and_store<<<1, 64>>>(stage, v);
    while (stage[0] == 0)
        ;
#ifdef MISTAKE
    auto free = (int (*)(void *))dlsym(RTLD_DEFAULT, "hsa_amd_memory_pool_free");
    if (free(v) != 0) //^
        return 9;
#endif
    stage[1] = 1;
    HIP(hipDeviceSynchronize());
    // HIP takes the memory for its own.
    _Exit(0);
}
