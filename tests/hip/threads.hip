// Eight host threads, each with streams of its own and one shared counter on the device.
#include "check.hpp"

#include <thread>

__global__ void work(int *v, int n, unsigned *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += i;
    if (threadIdx.x == 0) atomicAdd(total, 1);
}

static void one_thread(int seed, unsigned *total) {
    constexpr int STREAMS = 3, ROUNDS = 40;
    const int n = 500 + 100 * seed;
    hipStream_t streams[STREAMS];
    int *device[STREAMS];
    std::vector<int> host(n);
    for (int s = 0; s < STREAMS; s++) {
        HIP(hipStreamCreate(&streams[s]));
        HIP(hipMalloc(&device[s], n * sizeof(int)));
        HIP(hipMemsetAsync(device[s], 0, n * sizeof(int), streams[s]));
    }
    for (int r = 0; r < ROUNDS; r++)
        for (int s = 0; s < STREAMS; s++) work<<<(n + 63) / 64, 64, 0, streams[s]>>>(device[s], n, total);
    for (int s = 0; s < STREAMS; s++) {
        HIP(hipMemcpyAsync(host.data(), device[s], n * sizeof(int), hipMemcpyDeviceToHost, streams[s]));
        HIP(hipStreamSynchronize(streams[s]));
        for (int i = 0; i < n; i++)
            CHECK(host[i] == ROUNDS * i, "thread %d, stream %d: element %d is %d", seed, s, i, host[i]);
        HIP(hipFree(device[s]));
        HIP(hipStreamDestroy(streams[s]));
    }
}

int main() {
    constexpr int THREADS = 8;
    Device<unsigned> total(std::vector<unsigned>{0});
    std::vector<std::thread> threads;
    unsigned want = 0;
    for (int t = 0; t < THREADS; t++) {
        threads.emplace_back(one_thread, t, (unsigned *)total);
        want += 3 * 40 * ((500 + 100 * t + 63) / 64);
    }
    for (auto &t : threads) t.join();
    CHECK(total.host()[0] == want, "%u blocks ran, not %u", total.host()[0], want);
    return ok("threads");
}
