// A number is divided by zero. Zeros and infinities that are divided as they should be are no mistake.
// Options: --tools float
#include "planted.hpp"

__global__ void divide(const float *x, const float *y, float *out) {
    int i = threadIdx.x;
    out[i] = x[i] / y[i]; //~ float/infinity
}

__global__ void divide_double(const double *x, const double *y, double *out) {
    int i = threadIdx.x;
    out[i] = x[i] / y[i];
}

// The compiler divides in every lane, and chooses behind it.
__global__ void inverse(const float *x, float *out) {
    int i = threadIdx.x;
    out[i] = x[i] == 0 ? 0 : 1 / x[i]; //~ float/infinity
}

int main() {
    const float infinity = __builtin_inff();
    float x[] = {0, 1, infinity, 1e-40f, 3e38f, 5}, y[] = {3, infinity, 3, 2, 1e38f, -2};
    float z[] = {0, 1, infinity, 1e-30f};
    double wide_x[6], wide_y[6];
    for (int i = 0; i < 6; i++) wide_x[i] = x[i], wide_y[i] = y[i];
#ifdef MISTAKE
    y[5] = 0;
    z[3] = 1e-40f;
#endif
    float *out = zeros<float>(6);
    divide<<<1, 6>>>(copied(x), copied(y), out);
    inverse<<<1, 4>>>(copied(z), out);
    divide_double<<<1, 6>>>(copied(wide_x), copied(wide_y), zeros<double>(6));
    HIP(hipDeviceSynchronize());
}
