// Streams keep their order, events tie them together, callbacks come after the work before them.
#include "check.hpp"

#include <atomic>

__global__ void step(int *values, int n, int multiply, int add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = values[i] * multiply + add;
}

__global__ void sum(const int *a, const int *b, int *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static std::atomic<int> callbacks{0};
static void called(hipStream_t, hipError_t status, void *data) {
    if (status == hipSuccess) callbacks += *static_cast<int *>(data);
}

int main() {
    const int n = 10000, blocks = (n + 255) / 256;
    std::vector<int> ones(n, 1);

    // 50 dependent steps in one stream: the order shows in the result.
    hipStream_t first, second, third;
    HIP(hipStreamCreate(&first));
    HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    HIP(hipStreamCreateWithPriority(&third, hipStreamDefault, 0));
    Device<int> a(ones), b(ones), c(n);
    unsigned want = 1;
    for (int k = 0; k < 50; k++) {
        step<<<blocks, 256, 0, first>>>(a, n, 3, k);
        want = want * 3 + k;
    }
    HIP(hipStreamSynchronize(first));
    HIP(hipStreamQuery(first));
    for (int v : a.host()) CHECK(unsigned(v) == want, "after 50 steps %u, not %u", v, want);

    // Two streams work, the third waits for both by events; the first waits for the third before it writes again.
    hipEvent_t done_a, done_b, done_c, start, stop;
    for (auto *e : {&start, &stop}) HIP(hipEventCreate(e));
    for (auto *e : {&done_a, &done_b, &done_c}) HIP(hipEventCreateWithFlags(e, hipEventDisableTiming));
    HIP(hipMemcpy(a, ones.data(), a.bytes(), hipMemcpyHostToDevice));
    HIP(hipEventRecord(start, first));
    for (int round = 0; round < 20; round++) {
        step<<<blocks, 256, 0, first>>>(a, n, 1, 1);
        HIP(hipEventRecord(done_a, first));
        step<<<blocks, 256, 0, second>>>(b, n, 1, 10);
        HIP(hipEventRecord(done_b, second));
        HIP(hipStreamWaitEvent(third, done_a, 0));
        HIP(hipStreamWaitEvent(third, done_b, 0));
        sum<<<blocks, 256, 0, third>>>(a, b, c, n);
        HIP(hipEventRecord(done_c, third));
        HIP(hipStreamWaitEvent(first, done_c, 0));
        HIP(hipStreamWaitEvent(second, done_c, 0));
    }
    HIP(hipEventRecord(stop, first));
    HIP(hipEventSynchronize(stop));
    HIP(hipEventQuery(stop));
    HIP(hipStreamSynchronize(third));
    for (int v : c.host()) CHECK(v == 21 + 201, "the last sum is %d, not 222", v);
    float milliseconds = -1;
    HIP(hipEventElapsedTime(&milliseconds, start, stop));
    CHECK(milliseconds > 0 && milliseconds < 600000, "20 rounds took %g ms", milliseconds);
    HIP_REFUSES(hipErrorInvalidHandle, hipEventElapsedTime(&milliseconds, done_a, stop));

    // Callbacks.
    int weights[3] = {1, 10, 100};
    for (int i = 0; i < 3; i++) {
        step<<<blocks, 256, 0, first>>>(a, n, 1, 1);
        HIP(hipStreamAddCallback(first, called, &weights[i], 0));
    }
    HIP(hipStreamSynchronize(first));
    HIP(hipDeviceSynchronize());
    CHECK(callbacks == 111, "the callbacks added %d, not 111", callbacks.load());

    // The default stream waits for blocking streams, and they wait for it.
    HIP(hipMemset(a, 0, a.bytes()));
    step<<<blocks, 256, 0, first>>>(a, n, 1, 5);
    step<<<blocks, 256>>>(a, n, 2, 0);
    step<<<blocks, 256, 0, first>>>(a, n, 1, 7);
    HIP(hipStreamSynchronize(first));
    for (int v : a.host()) CHECK(v == 17, "across the default stream %d, not 17", v);

    for (auto e : {done_a, done_b, done_c, start, stop}) HIP(hipEventDestroy(e));
    for (auto s : {first, second, third}) HIP(hipStreamDestroy(s));
    return ok("streams");
}
