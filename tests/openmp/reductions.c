// Sums, products, extremes and bit operations over teams and threads.
// Not for gfx701: clang 19 makes DS_BPERMUTE of sums over lanes, which exists from gfx8 on.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.h"

enum { N = 100003 };

int main(void) {
    need_device();
    int *v = malloc(N * sizeof *v);
    double *x = malloc(N * sizeof *x);
    long sum = 0, want_sum = 0;
    int least = 1 << 30, most = -1, want_least = least, want_most = most;
    unsigned ones = 0, want_ones = 0, all = ~0u, want_all = ~0u;
    double total = 0, want_total = 0;
    for (int i = 0; i < N; i++) {
        v[i] = (int)((i * 2654435761u) >> 8) | 16;
        x[i] = i * 0.5;
        want_sum += v[i], want_total += x[i], want_ones ^= (unsigned)v[i], want_all &= (unsigned)v[i];
        if (v[i] < want_least) want_least = v[i];
        if (v[i] > want_most) want_most = v[i];
    }
#pragma omp target teams distribute parallel for map(to : v[0 : N], x[0 : N]) reduction(+ : sum, total)
    for (int i = 0; i < N; i++) sum += v[i], total += x[i];
#pragma omp target teams distribute parallel for map(to : v[0 : N]) reduction(min : least) reduction(max : most)
    for (int i = 0; i < N; i++) {
        least = v[i] < least ? v[i] : least;
        most = v[i] > most ? v[i] : most;
    }
#pragma omp target teams distribute parallel for map(to : v[0 : N]) reduction(^ : ones) reduction(& : all)
    for (int i = 0; i < N; i++) ones ^= (unsigned)v[i], all &= (unsigned)v[i];
    CHECK(sum == want_sum, "the sum is %ld, not %ld", sum, want_sum);
    // Every partial sum is a multiple of one half below 2^53: exact in any order.
    CHECK(total == want_total, "the total is %.17g, not %.17g", total, want_total);
    CHECK(least == want_least && most == want_most, "%d to %d, not %d to %d", least, most, want_least, want_most);
    CHECK(ones == want_ones && all == want_all, "%x and %x, not %x and %x", ones, all, want_ones, want_all);
    puts("ok reductions");
    return 0;
}
