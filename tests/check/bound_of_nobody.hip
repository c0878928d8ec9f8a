// How many numbers there are is to stand behind the last one, where nobody has written it.
#include "planted.hpp"

__global__ void count(const int *in, int *out) {
    int n = in[256];
    for (int k = 0; k < n; k++) { //~ init/branch
        out[threadIdx.x] += in[k];
    }
}

int main() {
    int *in, host[257] = {};
    HIP(hipMalloc(&in, sizeof host));
#ifdef MISTAKE
    size_t bytes = 256 * sizeof(int);
#else
    size_t bytes = 257 * sizeof(int);
#endif
    HIP(hipMemcpy(in, host, bytes, hipMemcpyHostToDevice));
    count<<<1, 64>>>(in, zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
