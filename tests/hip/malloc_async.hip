// Stream-ordered allocation. HIP 5.2.3 never comes back from hipStreamDestroy while the device's pool holds memory that was
// freed: its own loop over the pool's free blocks stands still, on any GPU. Giving them back before is the way out.
#include "check.hpp"

int main() {
    const size_t count = 1 << 20;
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    hipMemPool_t pool;
    HIP(hipDeviceGetDefaultMemPool(&pool, 0));
    for (int turn = 0; turn < 3; turn++) {
        void *memory = nullptr;
        HIP(hipMallocAsync(&memory, count, stream));
        HIP(hipMemsetAsync(memory, turn + 1, count, stream));
        std::vector<unsigned char> host(count);
        HIP(hipMemcpyAsync(host.data(), memory, count, hipMemcpyDeviceToHost, stream));
        HIP(hipFreeAsync(memory, stream));
        HIP(hipStreamSynchronize(stream));
        for (size_t i = 0; i < count; i++) CHECK(host[i] == turn + 1, "turn %d, byte %zu: %d", turn, i, host[i]);
    }
    HIP(hipMemPoolTrimTo(pool, 0));
    HIP(hipStreamDestroy(stream));
    return ok("malloc_async");
}
