// Memory that kernels allocate, hand to later kernels, and free.
#define __HIP_ENABLE_DEVICE_MALLOC__ 1
#include "check.hpp"

__global__ void take(int **lists, int n) {
    int *list = static_cast<int *>(malloc(n * sizeof(int)));
    lists[threadIdx.x] = list;
    for (int i = 0; list && i < n; i++) list[i] = int(threadIdx.x) * 1000 + i;
}

__global__ void add_and_free(int **lists, int n, int *sums) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += lists[threadIdx.x][i];
    sums[threadIdx.x] = sum;
    free(lists[threadIdx.x]);
}

int main() {
    const int n = 10, threads = 64;
    Device<int *> lists(threads);
    Device<int> sums(threads);
    for (int round = 0; round < 3; round++) {
        take<<<1, threads>>>(lists, n);
        auto given = lists.host();
        for (int i = 0; i < threads; i++) {
            CHECK(given[i], "round %d: thread %d got no memory", round, i);
            for (int j = 0; j < i; j++)
                CHECK(std::abs(given[i] - given[j]) >= n, "threads %d and %d share memory: %p and %p", i, j, given[i], given[j]);
        }
        add_and_free<<<1, threads>>>(lists, n, sums);
        auto got = sums.host();
        for (int i = 0; i < threads; i++) CHECK(got[i] == n * i * 1000 + 45, "thread %d has the sum %d", i, got[i]);
    }
    return ok("malloc");
}
