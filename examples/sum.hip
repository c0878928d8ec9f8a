// Sums 256 numbers in each work-group, by a tree in LDS. It has a bug, which `wavetank check` finds: README.md.
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void sum(const int *in, int *out) {
    __shared__ int tile[256];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int n = 128; n > 0; n /= 2)
        if (t < n)
            tile[t] += tile[t + n]; // no barrier between one level of the tree and the next
    if (t == 0)
        out[blockIdx.x] = tile[0];
}

int main() {
    constexpr int groups = 4;
    int in[groups * 256], out[groups], *device_in, *device_out;
    for (int &number : in)
        number = 1;
    (void)hipMalloc(&device_in, sizeof in);
    (void)hipMalloc(&device_out, sizeof out);
    (void)hipMemcpy(device_in, in, sizeof in, hipMemcpyHostToDevice);
    sum<<<groups, 256>>>(device_in, device_out);
    (void)hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost);
    printf("256 ones make");
    for (int total : out)
        printf(" %d", total);
    printf("\n");
    (void)hipFree(device_in);
    (void)hipFree(device_out);
}
