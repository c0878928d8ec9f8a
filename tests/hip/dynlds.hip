// LDS whose size the launch gives, up to 64 KB.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

extern __shared__ int dynamic[];

__global__ void reverse(int *v, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) dynamic[i] = v[blockIdx.x * n + i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) v[blockIdx.x * n + i] = dynamic[n - 1 - i];
}

__global__ void beside(int *out) {
    __shared__ int fixed[64];
    fixed[threadIdx.x] = threadIdx.x;
    dynamic[threadIdx.x] = 1000 + threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = fixed[63 - threadIdx.x] + dynamic[63 - threadIdx.x];
}

int main() {
    for (int n : {64, 256, 1000, 8192, 16384}) {
        std::vector<int> v(3 * n);
        for (int i = 0; i < 3 * n; i++) v[i] = i * 7;
        Device<int> dv(v);
        reverse<<<3, 256, n * sizeof(int)>>>(dv, n);
        HIP(hipGetLastError());
        auto got = dv.host();
        for (int i = 0; i < 3 * n; i++) {
            int want = v[i / n * n + n - 1 - i % n];
            CHECK(got[i] == want, "%d ints of LDS: element %d is %d, not %d", n, i, got[i], want);
        }
    }
    Device<int> out(64);
    beside<<<1, 64, 64 * sizeof(int)>>>(out);
    auto got = out.host();
    for (int i = 0; i < 64; i++) CHECK(got[i] == 1000 + 2 * (63 - i), "fixed beside dynamic LDS: [%d] is %d", i, got[i]);

    reverse<<<1, 256, 65537>>>(out, 64);
    CHECK(hipGetLastError() != hipSuccess || hipDeviceSynchronize() != hipSuccess, "65537 bytes of LDS were accepted");
    return ok("dynlds");
}
