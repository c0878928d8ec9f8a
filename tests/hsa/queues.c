// Queues: creation rules, dispatches of every shape, barriers, order, times.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
// GPUs: gfx701
#include "check.h"

static void check_creation(void) {
    hsa_queue_t *queue = NULL;
    static const uint32_t wrong[] = {0, 3, 100, 4097};
    for (int i = 0; i < 4; i++)
        CHECK(hsa_queue_create(gpu, wrong[i], HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue) == HSA_STATUS_ERROR_INVALID_ARGUMENT);
    REFUSED(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_AGENT, hsa_queue_create((hsa_agent_t){0}, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
    GIVES(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, hsa_queue_create(cpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
    uint32_t largest;
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &largest));
    CHECK(hsa_queue_create(gpu, largest * 2, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue) != HSA_STATUS_SUCCESS);
    uint64_t ids[8];
    for (int i = 0; i < 8; i++) {
        HSA(hsa_queue_create(gpu, 64u << i, i & 1 ? HSA_QUEUE_TYPE_SINGLE : HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
        EQUAL(queue->size, 64u << i);
        EQUAL(queue->type, i & 1 ? HSA_QUEUE_TYPE_SINGLE : HSA_QUEUE_TYPE_MULTI);
        CHECK(queue->features & HSA_QUEUE_FEATURE_KERNEL_DISPATCH);
        CHECK((uintptr_t)queue->base_address % 64 == 0 && queue->doorbell_signal.handle);
        for (uint32_t p = 0; p < queue->size; p++)
            EQUAL(*(uint16_t *)((char *)queue->base_address + 64 * p) & 0xFF, HSA_PACKET_TYPE_INVALID);
        ids[i] = queue->id;
        for (int j = 0; j < i; j++) CHECK(ids[i] != ids[j]);
        EQUAL(hsa_queue_load_write_index_relaxed(queue), 0);
        EQUAL(hsa_queue_load_read_index_relaxed(queue), 0);
        HSA(hsa_queue_destroy(queue));
    }
    GIVES(HSA_STATUS_ERROR_INVALID_QUEUE, hsa_queue_inactivate(NULL));
    CHECK(hsa_queue_destroy(NULL) != HSA_STATUS_SUCCESS);
}

static void check_indices(void) {
    hsa_queue_t *queue = new_queue(256);
    EQUAL(hsa_queue_add_write_index_relaxed(queue, 0), 0);
    EQUAL(hsa_queue_cas_write_index_scacq_screl(queue, 5, 6), 0); // not 5: as it was
    EQUAL(hsa_queue_load_write_index_scacquire(queue), 0);
    HSA(hsa_queue_destroy(queue));
}

static void check_add(void) {
    hsa_queue_t *queue = new_queue(64);
    kernel_t add = kernel("add.kd");
    for (uint32_t n = 1; n <= 3000; n = n * 3 + 2) {
        int *a = allocate(fine, n * 4), *b = allocate(coarse, n * 4), *c = allocate(fine, n * 4 + 4);
        for (uint32_t i = 0; i < n; i++) a[i] = (int)i, b[i] = (int)(i * 10);
        c[n] = -1;
        void *values[3] = {a, b, c};
        void *kernargs = arguments(&add, values, sizeof values);
        hsa_signal_t done = new_signal(1);
        hsa_kernel_dispatch_packet_t packet = dispatch(&add, kernargs, n, 64, done);
        submit(queue, &packet);
        wait_for_zero(done);
        for (uint32_t i = 0; i < n; i++) EQUAL(c[i], i * 11);
        EQUAL(c[n], -1);
        HSA(hsa_signal_destroy(done));
        HSA(hsa_amd_memory_pool_free(kernargs));
        HSA(hsa_amd_memory_pool_free(a));
        HSA(hsa_amd_memory_pool_free(b));
        HSA(hsa_amd_memory_pool_free(c));
    }
    HSA(hsa_queue_destroy(queue));
}

// Three dimensions with partial groups at every side.
static void check_shape(void) {
    hsa_queue_t *queue = new_queue(64);
    kernel_t shape = kernel("shape.kd");
    enum { X = 10, Y = 7, Z = 5 };
    uint32_t *out = allocate(fine, X * Y * Z * 4);
    struct {
        uint32_t *out;
        uint64_t offsets[3]; // the hidden global offsets
    } values = {out, {0, 0, 0}};
    hsa_signal_t done = new_signal(1);
    hsa_kernel_dispatch_packet_t packet = dispatch(&shape, arguments(&shape, &values, sizeof values), X, 4, done);
    packet.setup = 3;
    packet.workgroup_size_y = 3, packet.workgroup_size_z = 2;
    packet.grid_size_y = Y, packet.grid_size_z = Z;
    submit(queue, &packet);
    wait_for_zero(done);
    for (uint32_t z = 0; z < Z; z++)
        for (uint32_t y = 0; y < Y; y++)
            for (uint32_t x = 0; x < X; x++)
                EQUAL(out[(z * Y + y) * X + x], x % 4 | y % 3 << 8 | z % 2 << 16 | 3u << 24);
    HSA(hsa_signal_destroy(done));
    HSA(hsa_queue_destroy(queue));
}

static void check_dynamic_lds(void) {
    hsa_queue_t *queue = new_queue(64);
    kernel_t reverse = kernel("reverse.kd");
    enum { N = 256 };
    int *v = allocate(fine, N * 4);
    for (int i = 0; i < N; i++) v[i] = i;
    struct {
        int *v;
        uint32_t scratch; // its offset in LDS
    } values = {v, 0};
    hsa_signal_t done = new_signal(1);
    hsa_kernel_dispatch_packet_t packet = dispatch(&reverse, arguments(&reverse, &values, sizeof values), N, N, done);
    packet.group_segment_size += N * 4;
    submit(queue, &packet);
    wait_for_zero(done);
    for (int i = 0; i < N; i++) EQUAL(v[i], N - 1 - i);
    HSA(hsa_signal_destroy(done));
    HSA(hsa_queue_destroy(queue));
}

// With the barrier bit, each dispatch begins when all before it are complete: far more packets than the ring has places.
static void check_order(void) {
    hsa_queue_t *queue = new_queue(64);
    kernel_t step = kernel("step.kd");
    uint32_t *value = allocate(fine, 64), want = 1;
    *value = 1;
    enum { STEPS = 1000 };
    hsa_signal_t done = new_signal(STEPS);
    void *kernargs[STEPS];
    for (uint32_t i = 0; i < STEPS; i++) {
        struct {
            uint32_t *value;
            uint32_t multiply, add;
        } values = {value, 3, i};
        want = want * 3 + i;
        kernargs[i] = arguments(&step, &values, sizeof values);
        hsa_kernel_dispatch_packet_t packet = dispatch(&step, kernargs[i], 1, 1, done);
        packet.header |= BARRIER_BIT;
        submit(queue, &packet);
    }
    wait_for_zero(done);
    EQUAL(*value, want);
    EQUAL(hsa_queue_load_read_index_scacquire(queue), STEPS);
    for (int i = 0; i < STEPS; i++) HSA(hsa_amd_memory_pool_free(kernargs[i]));
    HSA(hsa_signal_destroy(done));
    HSA(hsa_queue_destroy(queue));
}

static void check_barriers(void) {
    hsa_queue_t *queue = new_queue(64);
    kernel_t count = kernel("count.kd");
    int *counter = allocate(fine, 64);
    void *kernargs = arguments(&count, &counter, sizeof counter);
    for (int any = 0; any < 2; any++) {
        *counter = 0;
        hsa_signal_t a = new_signal(1), b = new_signal(1), barrier = new_signal(1), done = new_signal(1);
        hsa_barrier_and_packet_t packet = {
            .header = (any ? HSA_PACKET_TYPE_BARRIER_OR : HSA_PACKET_TYPE_BARRIER_AND) << HSA_PACKET_HEADER_TYPE | FENCES | BARRIER_BIT,
            .dep_signal = {a, {0}, b},
            .completion_signal = barrier,
        };
        submit(queue, &packet);
        hsa_kernel_dispatch_packet_t behind = dispatch(&count, kernargs, 64, 64, done);
        behind.header |= BARRIER_BIT;
        submit(queue, &behind);
        usleep(20000);
        EQUAL(hsa_signal_load_scacquire(barrier), 1);
        EQUAL(*counter, 0);
        hsa_signal_store_screlease(b, 0);
        if (!any) {
            usleep(20000);
            EQUAL(hsa_signal_load_scacquire(barrier), 1);
            hsa_signal_store_screlease(a, 0);
        }
        wait_for_zero(barrier);
        wait_for_zero(done);
        EQUAL(*counter, 64);
        hsa_signal_t all[4] = {a, b, barrier, done};
        for (int i = 0; i < 4; i++) HSA(hsa_signal_destroy(all[i]));
    }
    HSA(hsa_queue_destroy(queue));
}

// AMD's packet that waits for a value under a mask.
static void check_barrier_value(void) {
    hsa_queue_t *queue = new_queue(64);
    hsa_signal_t s = new_signal(0), done = new_signal(1);
    hsa_amd_barrier_value_packet_t packet = {
        .header = {.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE | FENCES,
                   .AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE},
        .signal = s,
        .value = 0x40,
        .mask = 0xF0,
        .cond = HSA_SIGNAL_CONDITION_EQ,
        .completion_signal = done,
    };
    submit(queue, &packet);
    usleep(20000);
    EQUAL(hsa_signal_load_scacquire(done), 1);
    hsa_signal_store_screlease(s, 0x35);
    usleep(20000);
    EQUAL(hsa_signal_load_scacquire(done), 1);
    hsa_signal_store_screlease(s, 0x142);
    wait_for_zero(done);
    // Without a signal it waits for nothing but the packets before it.
    hsa_signal_store_screlease(done, 1);
    packet.signal.handle = 0;
    submit(queue, &packet);
    wait_for_zero(done);
    HSA(hsa_signal_destroy(s));
    HSA(hsa_signal_destroy(done));
    HSA(hsa_queue_destroy(queue));
}

// The specification lets packets without the barrier bit complete in any order: one queue waits, the other one works.
static void check_independence(void) {
    hsa_queue_t *waiting = new_queue(64), *working = new_queue(64);
    kernel_t empty = kernel("empty.kd");
    hsa_signal_t gate = new_signal(1), first = new_signal(1), second = new_signal(1);
    hsa_barrier_and_packet_t barrier = {
        .header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | FENCES | BARRIER_BIT,
        .dep_signal = {gate},
        .completion_signal = first,
    };
    submit(waiting, &barrier);
    hsa_kernel_dispatch_packet_t packet = dispatch(&empty, arguments(&empty, "", 1), 64, 64, second);
    submit(working, &packet);
    wait_for_zero(second);
    EQUAL(hsa_signal_load_scacquire(first), 1);
    hsa_signal_store_screlease(gate, 0);
    wait_for_zero(first);
    hsa_signal_t all[3] = {gate, first, second};
    for (int i = 0; i < 3; i++) HSA(hsa_signal_destroy(all[i]));
    HSA(hsa_queue_destroy(waiting));
    HSA(hsa_queue_destroy(working));
}

static void check_times(void) {
    hsa_queue_t *queue = new_queue(64);
    kernel_t empty = kernel("empty.kd");
    void *kernargs = arguments(&empty, "", 1);
    HSA(hsa_amd_profiling_set_profiler_enabled(queue, 1));
    uint64_t before, after, last = 0;
    for (int i = 0; i < 5; i++) {
        hsa_signal_t done = new_signal(1);
        HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
        hsa_kernel_dispatch_packet_t packet = dispatch(&empty, kernargs, 6400, 64, done);
        submit(queue, &packet);
        wait_for_zero(done);
        HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
        hsa_amd_profiling_dispatch_time_t times = {0};
        HSA(hsa_amd_profiling_get_dispatch_time(gpu, done, &times));
        uint64_t start = 0, end = 0;
        HSA(hsa_amd_profiling_convert_tick_to_system_domain(gpu, times.start, &start));
        HSA(hsa_amd_profiling_convert_tick_to_system_domain(gpu, times.end, &end));
        CHECK(times.start > 0 && times.start <= times.end && times.start >= last);
        CHECK(before <= end && start <= after);
        last = times.end;
        REFUSED(hsa_amd_profiling_get_dispatch_time(gpu, done, NULL));
        HSA(hsa_signal_destroy(done));
    }
    HSA(hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH));
    HSA(hsa_queue_inactivate(queue));
    HSA(hsa_queue_destroy(queue));
}

// A queue of the program's own: packets go nowhere, the doorbell is a signal like any other.
static void check_soft_queue(void) {
    hsa_region_t region = {fine.handle};
    hsa_signal_t doorbell = new_signal(-1);
    hsa_queue_t *queue = NULL;
    HSA(hsa_soft_queue_create(region, 16, HSA_QUEUE_TYPE_SINGLE, HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &queue));
    EQUAL(queue->size, 16);
    EQUAL(queue->doorbell_signal.handle, doorbell.handle);
    EQUAL(hsa_queue_add_write_index_screlease(queue, 2), 0);
    EQUAL(hsa_queue_load_write_index_relaxed(queue), 2);
    hsa_queue_store_read_index_screlease(queue, 1);
    EQUAL(hsa_queue_load_read_index_relaxed(queue), 1);
    HSA(hsa_queue_destroy(queue));
    HSA(hsa_signal_destroy(doorbell));
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    check_creation();
    check_indices();
    load_kernels(argv[1]);
    check_add();
    check_shape();
    check_dynamic_lds();
    check_order();
    check_barriers();
    check_barrier_value();
    check_independence();
    check_times();
    check_soft_queue();
    HSA(hsa_executable_destroy(executable));
    HSA(hsa_shut_down());
    puts("ok queues");
    return 0;
}
