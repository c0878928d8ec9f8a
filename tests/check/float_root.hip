// The root of a negative number. Those of zero and infinity, which take a NaN and an infinity on the way, are no mistake.
// Options: --tools float
#include "planted.hpp"

__global__ void roots(const float *x, float *out) {
    int i = threadIdx.x;
    out[i] = sqrtf(x[i]); //~ float/nan
}

__global__ void roots_of_double(const double *x, double *out) {
    int i = threadIdx.x;
    out[i] = sqrt(x[i]); //~ float/nan
}

int main() {
    float x[] = {0, 1, __builtin_inff(), 1e-40f, 3e38f, 5};
#ifdef MISTAKE
    x[5] = -5;
#endif
    double wide[6];
    for (int i = 0; i < 6; i++) wide[i] = x[i];
    roots<<<1, 6>>>(copied(x), zeros<float>(6));
    roots_of_double<<<1, 6>>>(copied(wide), zeros<double>(6));
    HIP(hipDeviceSynchronize());
}
