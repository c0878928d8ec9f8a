// Rows and columns of a matrix that is not square are mixed up.
#include "planted.hpp"

__global__ void transpose(const int *in, int *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int value = in[y * width + x];
#ifdef MISTAKE
    out[x * width + y] = value; //~ memory/out-of-bounds
#else
    out[x * height + y] = value;
#endif
}

int main() {
    const int width = 48, height = 16;
    int *in = zeros<int>(width * height), *out = zeros<int>(width * height);
    transpose<<<dim3(3, 1), dim3(16, 16)>>>(in, out, width, height);
    HIP(hipDeviceSynchronize());
}
