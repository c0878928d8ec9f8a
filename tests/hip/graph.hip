// Graphs: captured from streams with a fork and a join, launched again and again.
#include "check.hpp"

__global__ void multiply_add(int *v, int n, int multiply, int add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = v[i] * multiply + add;
}

__global__ void sum(const int *a, const int *b, int *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const int n = 1000, blocks = (n + 63) / 64;
    std::vector<int> host(n), out(n);
    for (int i = 0; i < n; i++) host[i] = i;
    Device<int> a(n), b(n), c(n);
    HIP(hipMemset(b, 0, b.bytes()));

    hipStream_t main_stream, side;
    hipEvent_t forked, joined;
    HIP(hipStreamCreate(&main_stream));
    HIP(hipStreamCreate(&side));
    HIP(hipEventCreate(&forked));
    HIP(hipEventCreate(&joined));
    HIP(hipStreamBeginCapture(main_stream, hipStreamCaptureModeGlobal));
    HIP(hipMemcpyAsync(a, host.data(), a.bytes(), hipMemcpyHostToDevice, main_stream));
    HIP(hipEventRecord(forked, main_stream));
    HIP(hipStreamWaitEvent(side, forked, 0));
    multiply_add<<<blocks, 64, 0, main_stream>>>(a, n, 3, 1);
    multiply_add<<<blocks, 64, 0, side>>>(b, n, 1, 100);
    HIP(hipEventRecord(joined, side));
    HIP(hipStreamWaitEvent(main_stream, joined, 0));
    sum<<<blocks, 64, 0, main_stream>>>(a, b, c, n);
    HIP(hipMemcpyAsync(out.data(), c, c.bytes(), hipMemcpyDeviceToHost, main_stream));
    hipGraph_t graph;
    HIP(hipStreamEndCapture(main_stream, &graph));

    hipGraphExec_t ready;
    HIP(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
    for (int launch = 1; launch <= 5; launch++) {
        HIP(hipGraphLaunch(ready, main_stream));
        HIP(hipStreamSynchronize(main_stream));
        for (int i = 0; i < n; i++)
            CHECK(out[i] == 3 * i + 1 + 100 * launch, "launch %d: element %d is %d", launch, i, out[i]);
    }
    HIP(hipGraphExecDestroy(ready));
    HIP(hipGraphDestroy(graph));
    return ok("graph");
}
