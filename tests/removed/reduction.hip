// A sum in LDS, unrolled: a barrier for each half of it.
// Barriers: 10, of which 3 matter. The one before the first half, and those behind 256 and 128, whose sums another wave reads
// next. From 64 on all that is read was written by the wave itself.
#include "../hip/check.hpp"

#include <numeric>

__global__ void sum(const int *in, int *out) {
    __shared__ int part[512];
    int i = threadIdx.x;
    part[i] = in[blockIdx.x * 512 + i];
    __syncthreads();
#pragma unroll
    for (int half = 256; half > 0; half /= 2) {
        if (i < half) part[i] += part[i + half];
        __syncthreads();
    }
    if (i == 0) out[blockIdx.x] = part[0];
}

int main() {
    std::vector<int> in(1024);
    std::iota(in.begin(), in.end(), 1);
    Device<int> din(in), out(2);
    sum<<<2, 512>>>(din, out);
    auto got = out.host();
    for (int group = 0; group < 2; group++) {
        int want = std::accumulate(in.begin() + group * 512, in.begin() + group * 512 + 512, 0);
        CHECK(got[group] == want, "the sum of group %d is %d, not %d", group, got[group], want);
    }
    return ok("reduction");
}
