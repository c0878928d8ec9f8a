// An array of each work-item, of which the last entry is not set, is looked into.
#include "planted.hpp"

__global__ void walk(const int *in, const int *data, int *out) {
    int next[100];
#ifdef MISTAKE
    int n = 99;
#else
    int n = 100;
#endif
    for (int k = 0; k < n; k++) next[k] = in[k];
    int place = next[in[100 + threadIdx.x]]; //^
    out[threadIdx.x] = data[place]; //~ init/address
}

int main() {
    int host[164];
    for (int k = 0; k < 164; k++) host[k] = k < 100 ? 0 : 99;
    int *in = zeros<int>(164);
    HIP(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice));
    walk<<<1, 64>>>(in, zeros<int>(64), zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
