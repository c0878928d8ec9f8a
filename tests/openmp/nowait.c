// Target regions that run beside the host, ordered by their dependences; updates, globals and device functions.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
// GPUs: gfx701
#include "check.h"

enum { N = 4096, TASKS = 6 };

#pragma omp declare target
int offset = 100;
static int shifted(int v) { return v + offset; }
#pragma omp end declare target

int main(void) {
    need_device();
    static int v[TASKS][N];
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < TASKS; t++) {
        int *row = v[t];
#pragma omp target enter data map(to : row[0 : N]) nowait depend(out : row[0])
#pragma omp target teams distribute parallel for nowait depend(inout : row[0]) map(to : row[0 : N])
        for (int i = 0; i < N; i++) row[i] = i * (t + 1);
#pragma omp target teams distribute parallel for nowait depend(inout : row[0]) map(to : row[0 : N])
        for (int i = 0; i < N; i++) row[i] = shifted(row[i]);
#pragma omp target exit data map(from : row[0 : N]) nowait depend(inout : row[0])
    }
#pragma omp taskwait
    for (int t = 0; t < TASKS; t++)
        for (int i = 0; i < N; i++) CHECK(v[t][i] == i * (t + 1) + 100, "v[%d][%d] is %d", t, i, v[t][i]);

    offset = 7;
#pragma omp target update to(offset)
    int got = 0;
#pragma omp target map(from : got)
    got = shifted(1);
    CHECK(got == 8, "after the update the function gives %d", got);

    // Memory by hand, and atomics.
    int device = omp_get_default_device(), host = omp_get_initial_device(), counters[2] = {0, 0};
    int *memory = omp_target_alloc(sizeof counters, device);
    CHECK(memory, "omp_target_alloc");
    CHECK(omp_target_memcpy(memory, counters, sizeof counters, 0, 0, device, host) == 0, "omp_target_memcpy");
#pragma omp target teams distribute parallel for is_device_ptr(memory)
    for (int i = 0; i < N; i++) {
#pragma omp atomic
        memory[i & 1] += i;
    }
    CHECK(omp_target_memcpy(counters, memory, sizeof counters, 0, 0, host, device) == 0, "omp_target_memcpy");
    omp_target_free(memory, device);
    CHECK(counters[0] == N / 2 * (N / 2 - 1) && counters[1] == N / 2 * (N / 2), "%d and %d", counters[0], counters[1]);
    puts("ok nowait");
    return 0;
}
