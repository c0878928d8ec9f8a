// Handles that are none: in packets they stop the queue, calls refuse them, operations do nothing; each says so.
// Says: packet 0: it completes 0x40, which is not a signal
// Says: packet 0: it waits for 0x40, which is not a signal
// Says: 0x40 is not a signal: the operation does nothing
// Says: is not a queue: the operation does nothing
#include "check.h"

static hsa_status_t seen;
static int calls;

static void on_error(hsa_status_t status, hsa_queue_t *queue, void *data) {
    CHECK(queue && data == &calls);
    seen = status;
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELEASE);
}

// A packet that stops its queue.
static void stops(const void *packet, const char *what) {
    hsa_queue_t *queue;
    __atomic_store_n(&calls, 0, __ATOMIC_RELEASE);
    HSA(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, on_error, &calls, UINT32_MAX, UINT32_MAX, &queue));
    submit(queue, packet);
    for (int i = 0; i < 20000 && !__atomic_load_n(&calls, __ATOMIC_ACQUIRE); i++) usleep(1000);
    if (__atomic_load_n(&calls, __ATOMIC_ACQUIRE) != 1) FAIL("%s: %d errors", what, calls);
    if (seen != HSA_STATUS_ERROR_INVALID_PACKET_FORMAT) FAIL("%s: status %#x", what, seen);
    HSA(hsa_queue_destroy(queue));
    // What has been destroyed is no crash either.
    hsa_queue_load_read_index_scacquire(queue);
    hsa_queue_add_write_index_relaxed(queue, 1);
}

static void check_packets(hsa_signal_t wild, const char *what) {
    kernel_t count = kernel("count.kd");
    int *counter = allocate(fine, 64);
    hsa_kernel_dispatch_packet_t packet = dispatch(&count, arguments(&count, &counter, sizeof counter), 64, 64, wild);
    stops(&packet, what);
    EQUAL(*counter, 0); // before the kernel runs
    hsa_signal_t met = new_signal(0);
    for (int type = HSA_PACKET_TYPE_BARRIER_AND; type <= HSA_PACKET_TYPE_BARRIER_OR; type += 2) {
        hsa_barrier_and_packet_t barrier = {.header = type << HSA_PACKET_HEADER_TYPE | FENCES, .completion_signal = wild};
        stops(&barrier, what);
        barrier.completion_signal.handle = 0;
        barrier.dep_signal[0] = met;
        barrier.dep_signal[4] = wild;
        stops(&barrier, what);
    }
    hsa_amd_barrier_value_packet_t value = {
        .header = {.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE | FENCES,
                   .AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE},
        .signal = wild,
        .cond = HSA_SIGNAL_CONDITION_EQ,
    };
    stops(&value, what);
    value.signal = met;
    value.completion_signal = wild;
    stops(&value, what);
    HSA(hsa_signal_destroy(met));
}

// A barrier whose signal becomes negative, or goes, while it waits.
static void check_failures(void) {
    for (int destroys = 0; destroys < 2; destroys++) {
        hsa_queue_t *queue;
        hsa_signal_t work = new_signal(1);
        __atomic_store_n(&calls, 0, __ATOMIC_RELEASE);
        HSA(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, on_error, &calls, UINT32_MAX, UINT32_MAX, &queue));
        hsa_barrier_and_packet_t barrier = {
            .header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | FENCES,
            .dep_signal = {work},
        };
        submit(queue, &barrier);
        usleep(20000);
        EQUAL(__atomic_load_n(&calls, __ATOMIC_ACQUIRE), 0);
        if (!destroys) hsa_signal_store_screlease(work, -1);
        else HSA(hsa_signal_destroy(work));
        for (int i = 0; i < 20000 && !__atomic_load_n(&calls, __ATOMIC_ACQUIRE); i++) usleep(1000);
        EQUAL(__atomic_load_n(&calls, __ATOMIC_ACQUIRE), 1);
        EQUAL(seen, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
        HSA(hsa_queue_destroy(queue));
    }
}

// A signal that a barrier has seen is not needed any more.
static void check_seen(void) {
    hsa_queue_t *queue = new_queue(64);
    hsa_signal_t first = new_signal(1), second = new_signal(1), done = new_signal(1), begun = new_signal(1);
    hsa_barrier_and_packet_t barrier = {
        .header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | FENCES,
        .completion_signal = begun,
    };
    submit(queue, &barrier);
    barrier.dep_signal[1] = first;
    barrier.dep_signal[2] = second;
    barrier.completion_signal = done;
    submit(queue, &barrier);
    wait_for_zero(begun);
    usleep(20000); // it waits by now
    hsa_signal_store_screlease(first, 0);
    HSA(hsa_signal_destroy(first));
    EQUAL(hsa_signal_load_scacquire(done), 1);
    hsa_signal_store_screlease(second, 0);
    HSA(hsa_signal_destroy(second));
    wait_for_zero(done);
    HSA(hsa_queue_destroy(queue));
}

static void check_calls(hsa_signal_t wild) {
    int *memory = allocate(fine, 64);
    hsa_signal_t good = new_signal(0), none = {0};
    GIVES(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_amd_memory_async_copy(memory, gpu, memory + 4, cpu, 4, 0, NULL, wild));
    GIVES(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_amd_memory_async_copy(memory, gpu, memory + 4, cpu, 4, 1, &wild, good));
    GIVES(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_amd_svm_prefetch_async(memory, 4, gpu, 0, NULL, wild));
    HSA(hsa_amd_memory_async_copy(memory, gpu, memory + 4, cpu, 4, 1, &none, none));
    hsa_signal_value_t *pointer;
    GIVES(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_amd_signal_value_pointer(wild, (volatile hsa_signal_value_t **)&pointer));
    GIVES(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_signal_destroy(wild));
    EQUAL(hsa_signal_load_scacquire(wild), 0);
    hsa_signal_store_screlease(wild, 5);
    hsa_signal_add_relaxed(wild, 5);
    EQUAL(hsa_signal_exchange_relaxed(wild, 5), 0);
    EQUAL(hsa_signal_wait_scacquire(wild, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    hsa_signal_t wild = {64}, inside = {new_signal(0).handle + 8}, destroyed = new_signal(0);
    check_packets(wild, "a wild signal");
    check_packets(inside, "the inside of a signal");
    HSA(hsa_signal_destroy(destroyed));
    hsa_kernel_dispatch_packet_t packet = {0};
    kernel_t empty = kernel("empty.kd");
    packet = dispatch(&empty, arguments(&empty, "", 1), 64, 64, destroyed);
    stops(&packet, "a destroyed signal");
    check_failures();
    check_seen();
    check_calls(wild);
    hsa_queue_t *queue = (hsa_queue_t *)64;
    EQUAL(hsa_queue_load_read_index_scacquire(queue), 0);
    EQUAL(hsa_queue_add_write_index_screlease(queue, 1), 0);
    GIVES(HSA_STATUS_ERROR_INVALID_QUEUE, hsa_queue_destroy(queue));
    HSA(hsa_shut_down());
    puts("ok wild_handles");
    return 0;
}
