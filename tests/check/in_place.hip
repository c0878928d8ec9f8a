// A stencil that writes where other work-groups read.
#include "planted.hpp"

__global__ void smooth(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int right = i + 1 < n ? in[i + 1] : 0; //^
    out[i] = in[i] + right; //~ race/read-write
}

int main() {
    int *in = zeros<int>(256);
#ifdef MISTAKE
    int *out = in;
#else
    int *out = zeros<int>(256);
#endif
    smooth<<<4, 64>>>(in, out, 256);
    HIP(hipDeviceSynchronize());
}
