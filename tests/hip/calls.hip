// Real calls on the device: virtual functions, function pointers, recursion, and arrays in private memory.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

struct Shape {
    virtual __device__ float area(float x) const = 0;
    virtual __device__ ~Shape() {}
};
struct Square : Shape {
    __device__ float area(float x) const override { return x * x; }
};
struct Strip : Shape {
    float width;
    __device__ explicit Strip(float width) : width(width) {}
    __device__ float area(float x) const override { return x * width; }
};

__global__ void areas(float *v) {
    Square square;
    Strip strip(3);
    const Shape *shape = threadIdx.x & 1 ? static_cast<const Shape *>(&square) : &strip;
    v[threadIdx.x] = shape->area(v[threadIdx.x]);
}

using Function = float (*)(float);
__device__ __noinline__ float plus_one(float x) { return x + 1; }
__device__ __noinline__ float squared(float x) { return x * x; }
__device__ __noinline__ float negated(float x) { return -x; }
__device__ Function functions[3] = {plus_one, squared, negated};

__global__ void pick(float *v) { v[threadIdx.x] = functions[threadIdx.x % 3](v[threadIdx.x]); }

__host__ __device__ int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recurse(int *v) { v[threadIdx.x] = ackermann(2, threadIdx.x & 3); }

// A table that does not fit in registers, with an index that is not known.
__global__ void private_table(const int *order, int *v) {
    int own[200];
    for (int i = 0; i < 200; i++) own[i] = i * int(threadIdx.x);
    int sum = 0;
    for (int i = 0; i < 200; i++) {
        own[order[i]] += i;
        sum += own[order[(i + threadIdx.x) % 200]];
    }
    v[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
    std::vector<float> v(128);
    for (int i = 0; i < 128; i++) v[i] = i * 0.5f;
    Device<float> a(v), b(v);
    areas<<<1, 128>>>(a);
    pick<<<1, 128>>>(b);
    auto got = a.host(), picked = b.host();
    for (int i = 0; i < 128; i++) {
        float x = v[i], area = i & 1 ? x * x : x * 3, want = i % 3 == 0 ? x + 1 : i % 3 == 1 ? x * x : -x;
        CHECK(got[i] == area, "area %d is %g, not %g", i, got[i], area);
        CHECK(picked[i] == want, "function %d gives %g, not %g", i % 3, picked[i], want);
    }

    Device<int> r(64);
    recurse<<<1, 64>>>(r);
    auto deep = r.host();
    for (int i = 0; i < 64; i++)
        CHECK(deep[i] == ackermann(2, i & 3), "ackermann(2, %d) is %d", i & 3, deep[i]);

    std::vector<int> order(200);
    for (int i = 0; i < 200; i++) order[i] = i * 77 % 200;
    Device<int> dorder(order), sums(4 * 96);
    private_table<<<4, 96>>>(dorder, sums);
    auto sum = sums.host();
    for (int t = 0; t < 4 * 96; t++) {
        int thread = t % 96, own[200], want = 0;
        for (int i = 0; i < 200; i++) own[i] = i * thread;
        for (int i = 0; i < 200; i++) own[order[i]] += i, want += own[order[(i + thread) % 200]];
        CHECK(sum[t] == want, "thread %d has %d, not %d", t, sum[t], want);
    }
    return ok("calls");
}
