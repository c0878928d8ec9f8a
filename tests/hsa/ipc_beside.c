// Handles of memory that are made one after the other while kernels run for the first time: those read their code then, and
// neither waits for the other without end.
#include "check.h"

enum { TIMES = 60, ITEMS = 64 };

static int stop;

static void *make_handles(void *made) {
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        void *memory;
        hsa_amd_ipc_memory_t handle;
        HSA(hsa_amd_memory_pool_allocate(coarse, 4096, 0, &memory));
        HSA(hsa_amd_ipc_memory_create(memory, 4096, &handle));
        HSA(hsa_amd_memory_pool_free(memory));
        ++*(int *)made;
    }
    return NULL;
}

static uint32_t wandered(uint32_t x) {
    for (int round = 0; round < 40; round++) x = (x & 1 ? 3 * x + 1 : x) / 2;
    return x;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    hsa_queue_t *queue = new_queue(64);
    uint32_t *numbers = allocate(fine, 2 * ITEMS * sizeof *numbers);
    int made = 0;
    pthread_t maker;
    EQUAL(pthread_create(&maker, NULL, make_handles, &made), 0);
    for (uint32_t n = 0; n < TIMES; n++) {
        load_kernels(argv[1]);
        kernel_t wander = kernel("wander.kd");
        for (uint32_t i = 0; i < ITEMS; i++) numbers[i] = i + n;
        hsa_signal_t done = new_signal(1);
        hsa_kernel_dispatch_packet_t packet =
            dispatch(&wander, arguments(&wander, &numbers, sizeof numbers), ITEMS, ITEMS, done);
        submit(queue, &packet);
        wait_for_zero(done);
        for (uint32_t i = 0; i < ITEMS; i++) EQUAL(numbers[i], wandered(i + n));
        HSA(hsa_signal_destroy(done));
        HSA(hsa_executable_destroy(executable));
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    EQUAL(pthread_join(maker, NULL), 0);
    CHECK(made > 0);
    HSA(hsa_shut_down());
    puts("ok ipc_beside");
    return 0;
}
