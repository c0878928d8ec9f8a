// A tiled product of matrices without the barrier before the reads of a tile.
#include "planted.hpp"

constexpr int T = 16;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float as[T][T], bs[T][T];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
    float sum = 0;
    for (int t = 0; t < n; t += T) {
        as[y][x] = a[row * n + t + x]; // is read by its own wave
        bs[y][x] = b[(t + y) * n + column]; //~ race/read-write
#ifndef MISTAKE
        __syncthreads();
#endif
        for (int k = 0; k < T; k++)
            sum += as[y][k] * bs[k][x]; //^
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main() {
    const int n = 32;
    product<<<dim3(n / T, n / T), dim3(T, T)>>>(zeros<float>(n * n), zeros<float>(n * n), zeros<float>(n * n), n);
    HIP(hipDeviceSynchronize());
}
