// rocPRIM: reduce, scan and sort of device arrays and within blocks, against the CPU.
#include "../hip/check.hpp"

#include <algorithm>
#include <numeric>
#include <rocprim/rocprim.hpp>

// Calls a function of rocPRIM twice: for the size of its temporary memory, and to do the work.
template <class F> static void with_storage(F work) {
    size_t bytes = 0;
    HIP(work(nullptr, bytes));
    Device<char> storage(std::max<size_t>(bytes, 1));
    HIP(work(static_cast<char *>(storage), bytes));
}

static std::vector<int> numbers(size_t n) {
    Random random;
    std::vector<int> out(n);
    for (int &v : out) v = int(random.next() % 2000001) - 1000000;
    return out;
}

static void check_reduce(size_t n) {
    auto in = numbers(n);
    Device<int> din(in), out(2);
    int *to = out, *from = din;
    with_storage([&](void *storage, size_t &bytes) {
        return rocprim::reduce(storage, bytes, from, to, 5, n, rocprim::plus<int>());
    });
    with_storage([&](void *storage, size_t &bytes) {
        return rocprim::reduce(storage, bytes, from, to + 1, -2000000, n, rocprim::maximum<int>());
    });
    auto got = out.host();
    int sum = std::accumulate(in.begin(), in.end(), 5), most = *std::max_element(in.begin(), in.end());
    CHECK(got[0] == sum && got[1] == most, "of %zu: sum %d, not %d; maximum %d, not %d", n, got[0], sum, got[1], most);
}

static void check_scan(size_t n) {
    auto in = numbers(n);
    Device<int> din(in), dout(n);
    int *from = din, *to = dout;
    with_storage([&](void *storage, size_t &bytes) {
        return rocprim::inclusive_scan(storage, bytes, from, to, n, rocprim::plus<int>());
    });
    std::vector<int> want(n);
    std::partial_sum(in.begin(), in.end(), want.begin());
    CHECK(dout.host() == want, "the inclusive scan of %zu differs", n);
    with_storage([&](void *storage, size_t &bytes) {
        return rocprim::exclusive_scan(storage, bytes, from, to, 3, n, rocprim::plus<int>());
    });
    auto got = dout.host();
    for (size_t i = 0; i < n; i++) {
        int before = 3 + (i ? want[i - 1] : 0);
        CHECK(got[i] == before, "exclusive scan of %zu: [%zu] is %d, not %d", n, i, got[i], before);
    }
}

static void check_sort(size_t n) {
    auto in = numbers(n);
    std::vector<unsigned> index(n);
    std::iota(index.begin(), index.end(), 0u);
    Device<int> keys(in), sorted(n);
    Device<unsigned> values(index), moved(n);
    int *k = keys, *s = sorted;
    unsigned *v = values, *m = moved;
    with_storage([&](void *storage, size_t &bytes) {
        return rocprim::radix_sort_pairs(storage, bytes, k, s, v, m, n);
    });
    std::stable_sort(index.begin(), index.end(), [&](unsigned a, unsigned b) { return in[a] < in[b]; });
    std::vector<int> want(n);
    for (size_t i = 0; i < n; i++) want[i] = in[index[i]];
    CHECK(sorted.host() == want, "the sorted keys of %zu differ", n);
    CHECK(moved.host() == index, "the sort of %zu pairs is not stable", n);
}

__global__ void block_sort(float *p) {
    using Sort = rocprim::block_radix_sort<float, 256, 4>;
    __shared__ Sort::storage_type storage;
    float v[4];
    for (int i = 0; i < 4; i++) v[i] = p[threadIdx.x * 4 + i];
    Sort().sort(v, storage);
    for (int i = 0; i < 4; i++) p[threadIdx.x * 4 + i] = v[i];
}

__global__ void wave_reduce(int *p) {
    using Reduce = rocprim::warp_reduce<int, 64>;
    __shared__ Reduce::storage_type storage[4];
    int v = p[threadIdx.x];
    Reduce().reduce(v, v, storage[threadIdx.x / 64]);
    if (threadIdx.x % 64 == 0) p[threadIdx.x] = v;
}

static void check_blocks() {
    std::vector<float> in(1024);
    Random random;
    for (float &v : in) v = random.unit() - 0.5f;
    Device<float> floats(in);
    block_sort<<<1, 256>>>(floats);
    std::sort(in.begin(), in.end());
    CHECK(floats.host() == in, "the sorted block differs");

    auto ints = numbers(256);
    Device<int> dints(ints);
    wave_reduce<<<1, 256>>>(dints);
    auto got = dints.host();
    for (int w = 0; w < 256; w += 64) {
        int want = std::accumulate(ints.begin() + w, ints.begin() + w + 64, 0);
        CHECK(got[w] == want, "the sum of the wave at %d is %d, not %d", w, got[w], want);
    }
}

int main() {
    for (size_t n : {size_t(1), size_t(1000), size_t(100003)}) {
        check_reduce(n);
        check_scan(n);
        check_sort(n);
    }
    check_blocks();
    return ok("rocprim");
}
