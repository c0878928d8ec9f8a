// Numbers become integers that cannot hold them.
// Options: --tools float
#include "planted.hpp"

__global__ void whole(const float *x, int *out, unsigned *out_unsigned, long long *out_wide) {
    int i = threadIdx.x;
    out[i] = (int)x[i]; //~ float/conversion
    out_unsigned[i] = (unsigned)fabsf(x[i]);
    out_wide[i] = (long long)x[i] - (long long)(x[i] * 1e6f);
}

__global__ void whole_double(const double *x, int *out) {
    int i = threadIdx.x;
    out[i] = (int)x[i]; //~ float/conversion
}

int main() {
    float x[] = {0, -0.9f, 2147483520, -2147483648.0f, 5};
    double wide[] = {-2147483648.9, 2147483647.9, 1};
#ifdef MISTAKE
    x[4] = 3e9f;
    wide[2] = -2147483649.0;
#endif
    whole<<<1, 5>>>(copied(x), zeros<int>(5), zeros<unsigned>(5), zeros<long long>(5));
    whole_double<<<1, 3>>>(copied(wide), zeros<int>(3));
    HIP(hipDeviceSynchronize());
}
