// 100,000 allocations at once, more than a process may have mappings: all apart, all of use, all freed.
#include "check.h"

// Bytes of device memory that are free; newer headers have a name for it.
#define AVAILABLE ((hsa_agent_info_t)0xA015)

enum { MANY = 100000 };

static char *all[MANY];

static int by_address(const void *a, const void *b) {
    char *x = *(char *const *)a, *y = *(char *const *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    size_t before, between, after;
    HSA(hsa_agent_get_info(gpu, AVAILABLE, &before));
    for (int i = 0; i < MANY; i++) {
        HSA(hsa_amd_memory_pool_allocate(coarse, 100, 0, (void **)&all[i]));
        if (i % 100 == 0) *(int *)all[i] = i;
    }
    HSA(hsa_agent_get_info(gpu, AVAILABLE, &between));
    EQUAL(before - between, MANY * 4096ll);
    kernel_t step = kernel("step.kd");
    hsa_queue_t *queue = new_queue(64);
    hsa_signal_t done = new_signal(MANY / 100);
    for (int i = 0; i < MANY; i += 100) {
        struct {
            char *value;
            uint32_t multiply, add;
        } values = {all[i], 2, 1};
        hsa_kernel_dispatch_packet_t packet = dispatch(&step, arguments(&step, &values, sizeof values), 1, 1, done);
        submit(queue, &packet);
    }
    wait_for_zero(done);
    for (int i = 0; i < MANY; i += 100) EQUAL(*(int *)all[i], 2 * i + 1);
    qsort(all, MANY, sizeof *all, by_address);
    for (int i = 1; i < MANY; i++) CHECK(all[i] >= all[i - 1] + 4096);
    // From both ends, so that what is left is never in one piece.
    for (int i = 0; i < MANY; i++) HSA(hsa_amd_memory_pool_free(all[i & 1 ? MANY - 1 - i / 2 : i / 2]));
    HSA(hsa_agent_get_info(gpu, AVAILABLE, &after));
    EQUAL(after, before);
    HSA(hsa_shut_down());
    puts("ok many_allocations");
    return 0;
}
