// The fast functions of the chip have no denormals.
// Options: --tools float
#include "planted.hpp"

__global__ void decay(const float *x, float *out) {
    int i = threadIdx.x;
#ifdef MISTAKE
    out[i] = __expf(x[i]); //~ float/flushed
#else
    out[i] = expf(x[i]) + logf(1 - x[i]) + powf(1 - x[i], -3);
#endif
}

int main() {
    float x[] = {0, -1, -89, -1000};
    decay<<<1, 4>>>(copied(x), zeros<float>(4));
    HIP(hipDeviceSynchronize());
}
