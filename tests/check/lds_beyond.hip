// The halo does not fit into the LDS that the launch asks for.
#include "planted.hpp"

__global__ void blur(const float *in, float *out) {
    extern __shared__ float tile[];
    int i = threadIdx.x;
    tile[i] = in[i];
    if (i < 2) tile[128 + i] = in[128 + i]; //~ memory/lds
    __syncthreads();
    out[i] = tile[i] + tile[i + 1] + tile[i + 2]; //~ memory/lds
}

int main() {
    float *in = zeros<float>(130), *out = zeros<float>(128);
#ifdef MISTAKE
    size_t bytes = 128 * sizeof(float);
#else
    size_t bytes = 130 * sizeof(float);
#endif
    blur<<<1, 128, bytes>>>(in, out);
    HIP(hipDeviceSynchronize());
}
