// Compiler features one by one: packed halves, 64-bit atomics, clocks, double precision, LDS of a full block.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

#include <hip/hip_fp16.h>

__global__ void halves(const __half2 *a, const __half2 *b, __half2 *c, float *roots) {
    int i = threadIdx.x;
    c[i] = __hfma2(a[i], b[i], c[i]);
    roots[i] = __half2float(hsqrt(__low2half(a[i])));
}

__global__ void atomics(unsigned long long *p, double *d, float *f, int *q) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(p, 1ull << 33);
    atomicMax(p + 1, (unsigned long long)thread << 20);
    atomicMin(p + 2, (unsigned long long)thread + 5);
    atomicXor(p + 3, 1ull << (thread & 63));
    atomicAdd(d, 1.5);
    atomicAdd(f, 2.5f);
    unsafeAtomicAdd(f + 1, 1.0f);
    atomicAdd(q, 3);
    atomicSub(q + 1, 1);
    atomicAnd(q + 2, ~(1 << (thread & 15)));
    atomicOr(q + 3, 1 << (thread & 15));
    atomicInc((unsigned *)q + 4, 99u);
    atomicDec((unsigned *)q + 5, 99u);
    int seen = q[6];
    while (true) { // a maximum by compare and swap
        int now = seen > int(thread) ? seen : int(thread);
        int was = atomicCAS(q + 6, seen, now);
        if (was == seen) break;
        seen = was;
    }
}

__global__ void clocks(long long *out) {
    long long first = clock64(), wall = __builtin_readcyclecounter();
    float x = threadIdx.x;
    for (int i = 0; i < 100; i++) x = x * 1.0001f + 1;
    long long second = clock64();
    out[3 * threadIdx.x] = first;
    out[3 * threadIdx.x + 1] = second + (x < 0);
    out[3 * threadIdx.x + 2] = wall;
}

__global__ void doubles(const double *x, double *y) {
    int i = threadIdx.x;
    double v = x[i];
    y[8 * i] = sin(v), y[8 * i + 1] = exp(v), y[8 * i + 2] = pow(v, 1.5), y[8 * i + 3] = erf(v);
    y[8 * i + 4] = lgamma(v), y[8 * i + 5] = 1 / sqrt(v), y[8 * i + 6] = v / 3.1, y[8 * i + 7] = fmod(v, 0.7);
}

__global__ void floats(const float *x, float *y) {
    int i = threadIdx.x;
    float v = x[i];
    y[8 * i] = sinf(v), y[8 * i + 1] = powf(v, 2.2f), y[8 * i + 2] = logf(v), y[8 * i + 3] = tanhf(v);
    y[8 * i + 4] = j0f(v), y[8 * i + 5] = cbrtf(v), y[8 * i + 6] = 1 / v, y[8 * i + 7] = sqrtf(v);
}

__global__ void __launch_bounds__(1024) reverse_1024(int *v) {
    __shared__ int s[1024];
    s[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    v[threadIdx.x] = s[1023 - threadIdx.x] + __syncthreads_count(s[threadIdx.x] & 1);
}

__global__ void fences(int *data, int *flag) {
    data[blockIdx.x] = blockIdx.x;
    __threadfence();
    atomicAdd(flag, 1);
    __threadfence_system();
    __threadfence_block();
}

// The last block to arrive adds up what the others left.
__global__ void last_block(const int *in, int *partial, unsigned *arrived, int *total) {
    __shared__ bool last;
    int v = in[blockIdx.x * 64 + threadIdx.x];
    for (int o = 32; o; o >>= 1) v += __shfl_down(v, o);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = v;
        __threadfence();
        last = atomicAdd(arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += ((volatile int *)partial)[b];
        *total = sum;
    }
}

__global__ void where(int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z, w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
    out[(z * h + y) * w + x] = x + 100 * y + 10000 * z;
}

static void near(const char *what, double got, double want, double bound) {
    CHECK(std::fabs(got - want) <= bound * std::fmax(1, std::fabs(want)), "%s is %.17g, not %.17g", what, got, want);
}

static void check_halves() {
    std::vector<__half2> a(64), b(64), c(64);
    for (int i = 0; i < 64; i++) {
        a[i] = __floats2half2_rn(i * 0.25f, i), b[i] = __floats2half2_rn(2, 3), c[i] = __floats2half2_rn(1, -1);
    }
    Device<__half2> da(a), db(b), dc(c);
    Device<float> roots(64);
    halves<<<1, 64>>>(da, db, dc, roots);
    auto got = dc.host();
    auto root = roots.host();
    for (int i = 0; i < 64; i++) {
        float low = __half2float(__low2half(got[i])), high = __half2float(__high2half(got[i]));
        CHECK(low == i * 0.5f + 1 && high == i * 3 - 1, "half %d: %g %g", i, low, high);
        near("hsqrt", root[i], std::sqrt(i * 0.25), 0x1p-10);
    }
}

static void check_atomics() {
    const unsigned threads = 40 * 192;
    Device<unsigned long long> p(std::vector<unsigned long long>{0, 0, ~0ull, 0});
    Device<double> d(std::vector<double>{0});
    Device<float> f(std::vector<float>{0, 0});
    Device<int> q(std::vector<int>{0, 0, 0xFFFFF, 0, 0, 0, -1});
    atomics<<<40, 192>>>(p, d, f, q);
    auto hp = p.host();
    CHECK(hp[0] == uint64_t(threads) << 33 && hp[1] == uint64_t(threads - 1) << 20 && hp[2] == 5 && hp[3] == 0,
          "64-bit atomics: %llx %llx %llx %llx", hp[0], hp[1], hp[2], hp[3]);
    CHECK(d.host()[0] == 1.5 * threads, "the double is %g", d.host()[0]);
    CHECK(f.host()[0] == 2.5f * threads && f.host()[1] == threads, "the floats are %g %g", f.host()[0], f.host()[1]);
    auto hq = q.host();
    CHECK(hq[0] == 3 * int(threads) && hq[1] == -int(threads) && hq[2] == 0xF0000 && hq[3] == 0xFFFF,
          "32-bit atomics: %d %d %x %x", hq[0], hq[1], hq[2], hq[3]);
    // Up from 0 and down from 0 by one modulo 100.
    CHECK(hq[4] == int(threads % 100) && hq[5] == int((100 - threads % 100) % 100), "wrapped counters: %d %d", hq[4], hq[5]);
    CHECK(hq[6] == int(threads - 1), "the maximum by compare and swap is %d", hq[6]);
}

static void check_clocks() {
    Device<long long> out(3 * 64);
    clocks<<<1, 64>>>(out);
    auto got = out.host();
    for (int i = 0; i < 64; i++)
        CHECK(got[3 * i + 1] > got[3 * i] && got[3 * i + 2] > 0, "the clock of lane %d went from %lld to %lld", i, got[3 * i],
              got[3 * i + 1]);
}

static void check_functions() {
    std::vector<double> x(128);
    std::vector<float> u(128);
    for (int i = 0; i < 128; i++) u[i] = float(x[i] = 0.05 + i * 0.11);
    Device<double> dx(x), dy(8 * 128);
    Device<float> du(u), dv(8 * 128);
    doubles<<<1, 128>>>(dx, dy);
    floats<<<1, 128>>>(du, dv);
    auto y = dy.host();
    auto v = dv.host();
    for (int i = 0; i < 128; i++) {
        double t = x[i], s = u[i];
        double want[8] = {sin(t), exp(t), pow(t, 1.5), erf(t), lgamma(t), 1 / sqrt(t), t / 3.1, fmod(t, 0.7)};
        double want_float[8] = {sin(s), pow(s, double(2.2f)), log(s), tanh(s), j0(s), cbrt(s), 1 / s, sqrt(s)};
        const char *names[8] = {"sin", "exp", "pow", "erf", "lgamma", "1/sqrt", "division", "fmod"};
        const char *names_float[8] = {"sinf", "powf", "logf", "tanhf", "j0f", "cbrtf", "reciprocal", "sqrtf"};
        for (int k = 0; k < 8; k++) {
            near(names[k], y[8 * i + k], want[k], 0x1p-48);
            near(names_float[k], v[8 * i + k], want_float[k], 0x1p-19);
        }
    }
}

static void check_blocks() {
    std::vector<int> v(1024);
    for (int i = 0; i < 1024; i++) v[i] = i * 3;
    Device<int> dv(v);
    reverse_1024<<<1, 1024>>>(dv);
    auto got = dv.host();
    for (int i = 0; i < 1024; i++) CHECK(got[i] == (1023 - i) * 3 + 512, "reversed[%d] is %d", i, got[i]);

    Device<int> data(200), flag(std::vector<int>{0});
    fences<<<200, 64>>>(data, flag);
    CHECK(flag.host()[0] == 200 * 64, "%d threads passed the fences", flag.host()[0]);

    std::vector<int> in(64 * 300);
    int want = 0;
    for (size_t i = 0; i < in.size(); i++) want += in[i] = int(i % 1000) - 400;
    Device<int> din(in), partial(300), total(1);
    Device<unsigned> arrived(std::vector<unsigned>{0});
    last_block<<<300, 64>>>(din, partial, arrived, total);
    CHECK(total.host()[0] == want, "the last block's total is %d, not %d", total.host()[0], want);

    Device<int> cube(6 * 10 * 12);
    where<<<dim3(2, 5, 3), dim3(3, 2, 4)>>>(cube);
    auto place = cube.host();
    for (int z = 0; z < 12; z++)
        for (int y = 0; y < 10; y++)
            for (int x = 0; x < 6; x++)
                CHECK(place[(z * 10 + y) * 6 + x] == x + 100 * y + 10000 * z, "at %d %d %d: %d", x, y, z,
                      place[(z * 10 + y) * 6 + x]);
}

int main() {
    check_halves();
    check_atomics();
    check_clocks();
    check_functions();
    check_blocks();
    return ok("features");
}
