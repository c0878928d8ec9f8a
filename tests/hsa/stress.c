// 8 threads, 16 queues, 100,000 small dispatches with dependences inside and between queues: none is lost, none is early,
// and memory does not grow.
#include "check.h"

enum { THREADS = 8, ROUNDS = 125, CHAIN = 50 }; // two queues a thread: 8 * 125 * 2 * 50 = 100,000

static kernel_t step, count;
static int *counter;

typedef struct {
    uint32_t *value;
    uint32_t multiply, add;
} step_arguments_t;

static long resident(void) {
    long total, pages;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld %ld", &total, &pages) == 2);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

// Each round: a chain of steps on the first queue; a barrier on the second waits for its end and lets a batch of counts go.
static void *work(void *data) {
    hsa_queue_t *first = new_queue(128), *second = new_queue(128);
    uint32_t *value = allocate(fine, 64);
    step_arguments_t *slots[CHAIN];
    for (int i = 0; i < CHAIN; i++) slots[i] = arguments(&step, "", 1);
    void *counts = arguments(&count, &counter, sizeof counter);
    hsa_signal_t chained = new_signal(0), counted = new_signal(0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t want = *value = round;
        hsa_signal_store_relaxed(chained, CHAIN);
        hsa_signal_store_relaxed(counted, CHAIN);
        hsa_barrier_and_packet_t barrier = {
            .header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | FENCES | BARRIER_BIT,
            .dep_signal = {chained},
        };
        submit(second, &barrier);
        for (uint32_t i = 0; i < CHAIN; i++) {
            hsa_kernel_dispatch_packet_t packet = dispatch(&count, counts, 1, 1, counted);
            if (i == 0) packet.header |= BARRIER_BIT;
            submit(second, &packet);
        }
        EQUAL(hsa_signal_load_scacquire(counted), CHAIN); // the first queue has nothing yet
        for (uint32_t i = 0; i < CHAIN; i++) {
            *slots[i] = (step_arguments_t){value, 5, round + i};
            want = want * 5 + round + i;
            hsa_kernel_dispatch_packet_t packet = dispatch(&step, slots[i], 1, 1, chained);
            packet.header |= BARRIER_BIT;
            submit(first, &packet);
        }
        wait_for_zero(counted);
        EQUAL(hsa_signal_load_scacquire(chained), 0);
        EQUAL(*value, want);
    }
    HSA(hsa_signal_destroy(chained));
    HSA(hsa_signal_destroy(counted));
    HSA(hsa_queue_destroy(first));
    HSA(hsa_queue_destroy(second));
    for (int i = 0; i < CHAIN; i++) HSA(hsa_amd_memory_pool_free(slots[i]));
    HSA(hsa_amd_memory_pool_free(counts));
    HSA(hsa_amd_memory_pool_free(value));
    return data;
}

static void all_threads(void) {
    pthread_t threads[THREADS];
    *counter = 0;
    for (int t = 0; t < THREADS; t++) CHECK(pthread_create(&threads[t], NULL, work, NULL) == 0);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    EQUAL(*counter, THREADS * ROUNDS * CHAIN);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    step = kernel("step.kd");
    count = kernel("count.kd");
    counter = allocate(fine, 64);
    work(NULL); // what is allocated once
    all_threads();
    // What is lost is lost each time; what an allocator or a sanitizer holds back comes to its end.
    long before = 0, after = resident();
    int times = 0;
    do {
        if (times++ == 4) FAIL("memory grew once more, from %ld to %ld bytes", before, after);
        before = after;
        all_threads();
        after = resident();
    } while (after > before + (16 << 20));
    HSA(hsa_shut_down());
    puts("ok stress");
    return 0;
}
