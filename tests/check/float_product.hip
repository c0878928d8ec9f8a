// An infinity, which the program means, is multiplied by zero.
// Options: --tools float
#include "planted.hpp"

__global__ void weigh(const float *distances, const float *weights, float *out) {
    int i = threadIdx.x;
    out[i] = distances[i] * weights[i]; //~ float/nan
}

int main() {
    float distances[] = {1, __builtin_inff(), 3}, weights[] = {0, 2, 1};
#ifdef MISTAKE
    weights[1] = 0;
#endif
    weigh<<<1, 3>>>(copied(distances), copied(weights), zeros<float>(3));
    HIP(hipDeviceSynchronize());
}
