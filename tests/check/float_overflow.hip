// Sums of squares are larger than a float can be.
// Options: --tools float
#include "planted.hpp"

__global__ void squares(const float *x, float *out) {
    int i = threadIdx.x;
    float half = x[i] / 2;
#ifdef MISTAKE
    out[i] = half * half; //~ float/infinity
#else
    out[i] = fminf(half * half, 1e38f);
#endif
}

int main() {
    float x[] = {1, 2, -4e19f, 4};
    squares<<<1, 4>>>(copied(x), zeros<float>(4));
    HIP(hipDeviceSynchronize());
}
