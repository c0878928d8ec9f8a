// Memory of a loop is freed in the last round alone.
// Options: --leaks
#include "planted.hpp"

__global__ void fill(int *out) {
    out[threadIdx.x] = threadIdx.x;
}

int main() {
    for (int round = 0; round < 3; round++) {
        int *out;
        HIP(hipMalloc(&out, 64 * sizeof(int))); //~ memory/leak
        fill<<<1, 64>>>(out);
        HIP(hipDeviceSynchronize());
#ifdef MISTAKE
        if (round == 2)
#endif
            HIP(hipFree(out));
    }
    int *host;
    HIP(hipHostMalloc((void **)&host, 4096));
    HIP(hipHostFree(host));
    // A pool keeps what is freed.
    int *pooled;
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    HIP(hipMallocAsync((void **)&pooled, 4096, stream));
    HIP(hipFreeAsync(pooled, stream));
    HIP(hipStreamSynchronize(stream));
}
