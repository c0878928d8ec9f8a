// Sums, maxima and votes over lanes, blocks and the grid.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

__global__ void sum_by_shuffles(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    for (int o = 32; o; o >>= 1) v += __shfl_down(v, o);
    if ((threadIdx.x & 63) == 0) atomicAdd(out, v);
}

__global__ void largest(const float *in, float *out, int n) {
    __shared__ float best[256];
    float v = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x) v = fmaxf(v, in[i]);
    best[threadIdx.x] = v;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) *out = best[0];
}

// Inclusive scan of one wave.
__global__ void scan(int *values) {
    int lane = threadIdx.x & 63, v = values[threadIdx.x];
    for (int o = 1; o < 64; o <<= 1) {
        int lower = __shfl_up(v, o);
        if (lane >= o) v += lower;
    }
    values[threadIdx.x] = v;
}

__global__ void votes(const int *in, unsigned long long *mask, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 63;
    unsigned long long positive = __ballot(in[i] > 0);
    if (lane == 0) mask[i >> 6] = positive;
    int below = __popcll(positive & ((1ull << lane) - 1));
    out[4 * i] = below;
    out[4 * i + 1] = __any(in[i] == 7) ? 1 : 0;
    out[4 * i + 2] = __all(in[i] >= -9) ? 1 : 0;
    out[4 * i + 3] = __shfl_xor(in[i], 5) + 100 * __shfl(in[i], 3) + 10000 * __shfl(in[i], lane & 7, 8);
}

// Only every third lane takes part.
__global__ void diverged(unsigned long long *mask) {
    if (threadIdx.x % 3 == 0) mask[threadIdx.x / 3] = __ballot(threadIdx.x % 2 == 0);
}

__global__ void count(const int *in, int *out) {
    int odd = __syncthreads_count(in[threadIdx.x] & 1);
    int both = __syncthreads_and(in[threadIdx.x] < 1000) + 2 * __syncthreads_or(in[threadIdx.x] > 1000);
    out[threadIdx.x] = 10 * odd + both;
}

int main() {
    Random random;
    const int n = 100000;
    std::vector<int> in(n);
    int want = 0;
    for (int &v : in) want += v = int(random.next() % 2001) - 1000;
    Device<int> din(in), sum(std::vector<int>{0});
    sum_by_shuffles<<<(n + 255) / 256, 256>>>(din, sum, n);
    CHECK(sum.host()[0] == want, "the sum is %d, not %d", sum.host()[0], want);

    std::vector<float> floats(n);
    float top = -1;
    for (float &v : floats) top = std::fmax(top, v = random.unit());
    Device<float> dfloats(floats), dtop(1);
    largest<<<1, 256>>>(dfloats, dtop, n);
    CHECK(dtop.host()[0] == top, "the maximum is %g, not %g", dtop.host()[0], top);

    std::vector<int> steps(in.begin(), in.begin() + 256);
    Device<int> dsteps(steps);
    scan<<<1, 256>>>(dsteps);
    auto scanned = dsteps.host();
    for (int i = 0, running = 0; i < 256; i++) {
        running = (i & 63 ? running : 0) + steps[i];
        CHECK(scanned[i] == running, "scan[%d] is %d, not %d", i, scanned[i], running);
    }

    std::vector<int> small(512);
    for (int &v : small) v = int(random.next() % 20) - 9;
    small[70] = 7;
    Device<int> dsmall(small), out(4 * small.size());
    Device<unsigned long long> mask(8);
    votes<<<2, 256>>>(dsmall, mask, out);
    auto masks = mask.host();
    auto answers = out.host();
    for (int wave = 0; wave < 8; wave++) {
        const int *v = &small[64 * wave];
        unsigned long long positive = 0;
        bool seven = false;
        for (int l = 0; l < 64; l++) positive |= (unsigned long long)(v[l] > 0) << l, seven |= v[l] == 7;
        CHECK(masks[wave] == positive, "the ballot of wave %d is %llx, not %llx", wave, masks[wave], positive);
        for (int l = 0, below = 0; l < 64; below += v[l++] > 0) {
            const int *got = &answers[4 * (64 * wave + l)];
            CHECK(got[0] == below && got[1] == seven && got[2] == 1, "votes of lane %d of wave %d: %d %d %d", l, wave,
                  got[0], got[1], got[2]);
            int moved = v[l ^ 5] + 100 * v[3] + 10000 * v[(l & ~7) | (l & 7)];
            CHECK(got[3] == moved, "shuffles of lane %d of wave %d: %d, not %d", l, wave, got[3], moved);
        }
    }

    Device<unsigned long long> some(22);
    diverged<<<1, 64>>>(some);
    unsigned long long sixths = 0;
    for (int l = 0; l < 64; l += 6) sixths |= 1ull << l;
    for (auto m : some.host()) CHECK(m == sixths, "the ballot of every third lane is %llx, not %llx", m, sixths);

    Device<int> counts(256);
    count<<<1, 256>>>(din, counts);
    int odd = 0;
    for (int i = 0; i < 256; i++) odd += in[i] & 1;
    bool all = true;
    for (int i = 0; i < 256; i++) all &= in[i] < 1000;
    for (int v : counts.host()) CHECK(v == 10 * odd + all, "the counts are %d, not %d", v, 10 * odd + all);
    return ok("reduce");
}
