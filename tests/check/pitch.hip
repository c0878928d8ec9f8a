// A pitch counts bytes; here it counts values.
#include "planted.hpp"

__global__ void fill(float *image, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
#ifdef MISTAKE
    float *row = image + y * pitch;
#else
    float *row = (float *)((char *)image + y * pitch);
#endif
    row[x] = x + y; //~ memory/out-of-bounds
}

int main() {
    float *image;
    size_t pitch;
    HIP(hipMallocPitch((void **)&image, &pitch, 50 * sizeof(float), 9));
    fill<<<dim3(4, 2), dim3(16, 8)>>>(image, pitch, 50, 9);
    HIP(hipDeviceSynchronize());
}
