// A pipeline of copies in, work and copies out over several streams, from pinned memory of many sizes.
#include "check.hpp"

__global__ void square(uint32_t *v, size_t n) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) v[i] = v[i] * v[i] + 1;
}

int main() {
    constexpr int STREAMS = 4, CHUNKS = 24;
    constexpr size_t LARGEST = 300001;
    hipStream_t streams[STREAMS];
    uint32_t *device[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        HIP(hipStreamCreate(&streams[s]));
        HIP(hipMalloc(&device[s], LARGEST * 4));
    }
    uint32_t *in[CHUNKS], *out[CHUNKS];
    size_t size[CHUNKS];
    Random random;
    for (int c = 0; c < CHUNKS; c++) {
        size[c] = c < 4 ? 1 + c : random.next() % LARGEST + 1;
        HIP(hipHostMalloc(&in[c], size[c] * 4, hipHostMallocDefault));
        HIP(hipHostMalloc(&out[c], size[c] * 4, hipHostMallocDefault));
        for (size_t i = 0; i < size[c]; i++) in[c][i] = random.next();
        memset(out[c], 0xEE, size[c] * 4);
    }
    for (int c = 0; c < CHUNKS; c++) {
        int s = c % STREAMS;
        HIP(hipMemcpyAsync(device[s], in[c], size[c] * 4, hipMemcpyHostToDevice, streams[s]));
        square<<<(size[c] + 255) / 256, 256, 0, streams[s]>>>(device[s], size[c]);
        HIP(hipMemcpyAsync(out[c], device[s], size[c] * 4, hipMemcpyDeviceToHost, streams[s]));
    }
    for (auto stream : streams) HIP(hipStreamSynchronize(stream));
    for (int c = 0; c < CHUNKS; c++)
        for (size_t i = 0; i < size[c]; i++)
            CHECK(out[c][i] == in[c][i] * in[c][i] + 1, "chunk %d: element %zu is %u", c, i, out[c][i]);

    // Device to device, at every alignment of both ends.
    std::vector<uint8_t> bytes(4096);
    for (auto &b : bytes) b = uint8_t(random.next());
    Device<uint8_t> from(bytes), to(4096);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (size_t length : {size_t(1), size_t(3), size_t(64), size_t(1021)}) {
                HIP(hipMemset(to, 0, 4096));
                HIP(hipMemcpyAsync(to + b, from + a, length, hipMemcpyDeviceToDevice, streams[0]));
                HIP(hipStreamSynchronize(streams[0]));
                auto got = to.host();
                for (size_t i = 0; i < 4096; i++) {
                    uint8_t want = i >= size_t(b) && i < b + length ? bytes[a + i - b] : 0;
                    CHECK(got[i] == want, "%zu bytes from +%d to +%d: byte %zu is %u, not %u", length, a, b, i, got[i],
                          want);
                }
            }
    for (int s = 0; s < STREAMS; s++) {
        HIP(hipFree(device[s]));
        HIP(hipStreamDestroy(streams[s]));
    }
    for (int c = 0; c < CHUNKS; c++) {
        HIP(hipHostFree(in[c]));
        HIP(hipHostFree(out[c]));
    }
    return ok("async_copy");
}
