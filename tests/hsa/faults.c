// What goes wrong on a queue reaches its callback with the documented status, once, and no other queue.
// Says: poke
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
// GPUs: gfx701
#include "check.h"

static hsa_status_t seen;
static hsa_queue_t *source;
static int calls;

static void on_error(hsa_status_t status, hsa_queue_t *queue, void *data) {
    CHECK(data == &calls);
    seen = status;
    source = queue;
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELEASE);
}

static hsa_queue_t *fragile(void) {
    hsa_queue_t *queue;
    __atomic_store_n(&calls, 0, __ATOMIC_RELEASE);
    HSA(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, on_error, &calls, UINT32_MAX, UINT32_MAX, &queue));
    return queue;
}

static void expect(hsa_queue_t *queue, hsa_status_t first, hsa_status_t second, const char *what) {
    for (int i = 0; i < 20000 && !__atomic_load_n(&calls, __ATOMIC_ACQUIRE); i++) usleep(1000);
    if (!__atomic_load_n(&calls, __ATOMIC_ACQUIRE)) FAIL("%s: the callback was not called", what);
    if (seen != first && seen != second) FAIL("%s: status %#x, not %#x", what, seen, first);
    CHECK(source == queue);
    usleep(20000);
    EQUAL(__atomic_load_n(&calls, __ATOMIC_ACQUIRE), 1);
    HSA(hsa_queue_destroy(queue));
}

static void stray(uint64_t address, const char *what) {
    hsa_queue_t *queue = fragile();
    kernel_t poke = kernel("poke.kd");
    hsa_kernel_dispatch_packet_t packet = dispatch(&poke, arguments(&poke, &address, 8), 64, 64, (hsa_signal_t){0});
    submit(queue, &packet);
    expect(queue, (hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT, (hsa_status_t)HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION, what);
}

static void wrong(hsa_kernel_dispatch_packet_t packet, hsa_status_t status, const char *what) {
    hsa_queue_t *queue = fragile();
    submit(queue, &packet);
    expect(queue, status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, what);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    stray(0, "a store to null");
    stray(16, "a store near null");
    stray(0x7F0000000000ull - 0x100000000000ull, "a store to nowhere");
    char *freed = allocate(fine, 1 << 20);
    HSA(hsa_amd_memory_pool_free(freed));
    stray((uint64_t)freed + (1 << 19), "a store to freed memory");

    kernel_t empty = kernel("empty.kd");
    hsa_kernel_dispatch_packet_t good = dispatch(&empty, arguments(&empty, "", 1), 64, 64, (hsa_signal_t){0}), bad = good;
    bad.workgroup_size_x = 0;
    wrong(bad, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "a work-group of no items");
    bad = good;
    bad.workgroup_size_x = 2048;
    wrong(bad, HSA_STATUS_ERROR_INVALID_ARGUMENT, "a work-group of 2048 items");
    bad = good;
    bad.group_segment_size = 1 << 20;
    wrong(bad, HSA_STATUS_ERROR_INVALID_ALLOCATION, "1 MB of LDS");
    bad = good;
    bad.kernel_object = 0;
    wrong(bad, HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "no kernel");
    bad = good;
    bad.header = 9 << HSA_PACKET_HEADER_TYPE | FENCES;
    wrong(bad, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "a packet of no type");

    // Another queue works as ever.
    hsa_queue_t *queue = new_queue(64);
    kernel_t count = kernel("count.kd");
    int *counter = allocate(fine, 64);
    hsa_signal_t done = new_signal(1);
    hsa_kernel_dispatch_packet_t packet = dispatch(&count, arguments(&count, &counter, 8), 640, 64, done);
    submit(queue, &packet);
    wait_for_zero(done);
    EQUAL(*counter, 640);
    HSA(hsa_shut_down());
    puts("ok faults");
    return 0;
}
