// 256 MB from pageable memory to the device, across it, and back.
#include "check.hpp"

__global__ void mix(const uint64_t *in, uint64_t *out, size_t n) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
        out[i] = in[i] ^ 0x5555555555555555ull;
}

int main() {
    const size_t n = (256 << 20) / sizeof(uint64_t);
    std::vector<uint64_t> host(n);
    for (size_t i = 0; i < n; i++) host[i] = i * 0x9E3779B97F4A7C15ull;
    Device<uint64_t> a(host), b(n);
    HIP(hipMemset(b, 0, b.bytes()));
    HIP(hipMemcpy(b, a, a.bytes(), hipMemcpyDeviceToDevice));
    // The kernel changes one megabyte in the middle.
    const size_t part = (1 << 20) / sizeof(uint64_t), from = n / 2;
    mix<<<64, 256>>>(a + from, b + from, part);
    HIP(hipGetLastError());
    std::vector<uint64_t> got = b.host();
    for (size_t i = 0; i < n; i++) {
        uint64_t want = host[i] ^ (i >= from && i < from + part ? 0x5555555555555555ull : 0);
        CHECK(got[i] == want, "word %zu is %llx, not %llx", i, (unsigned long long)got[i], (unsigned long long)want);
    }
    return ok("large_copy");
}
