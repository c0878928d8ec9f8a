// c = a + b, with a last block that is only partly in range.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    hipDeviceProp_t device;
    HIP(hipGetDeviceProperties(&device, 0));
    CHECK(device.warpSize == 64, "a wave has 64 lanes, not %d", device.warpSize);

    for (int n : {1, 63, 64, 65, 255, 257, 1000003}) {
        std::vector<float> a(n), b(n), c(n + 1, -1.0f);
        Random random;
        for (int i = 0; i < n; i++) a[i] = random.unit(), b[i] = 100 * random.unit();
        Device<float> da(a), db(b), dc(c);
        add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
        HIP(hipGetLastError());
        c = dc.host();
        for (int i = 0; i < n; i++) CHECK(c[i] == a[i] + b[i], "n %d: c[%d] is %g, not %g", n, i, c[i], a[i] + b[i]);
        CHECK(c[n] == -1.0f, "n %d: the element after the last one was written: %g", n, c[n]);
    }
    return ok("vecadd");
}
