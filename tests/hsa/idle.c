// Who has nothing to do sleeps: with 2,000 queues, blocked barriers, waiting copies and handlers the library has few threads,
// and none of them wakes. What device code stores to a signal is seen all the same.
#include "check.h"
#include <dirent.h>

enum { QUEUES = 2000 };

// The threads of the process but for this one, and how often they have gone to sleep so far.
static int others(long *sleeps) {
    int threads = 0;
    *sleeps = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks);
    for (struct dirent *task; (task = readdir(tasks));) {
        char path[300], line[200];
        if (task->d_name[0] == '.' || atoi(task->d_name) == getpid()) continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = fopen(path, "r");
        if (!status) continue; // it has just ended
        threads++;
        long count;
        while (fgets(line, sizeof line, status))
            if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1) *sleeps += count;
        fclose(status);
    }
    closedir(tasks);
    return threads;
}

// Once what was under way has ended, nobody wakes in half a second.
static void check_idle(const char *when) {
    long before, after = -1;
    for (int i = 0; i < 100; i++) {
        int threads = others(&before);
        if (threads > 24) FAIL("%s there are %d threads", when, threads);
        usleep(500000);
        others(&after);
        if (after == before) return;
    }
    FAIL("%s threads woke %ld times in half a second", when, after - before);
}

static int handled;
static bool handle(hsa_signal_value_t value, void *data) {
    EQUAL(value, 0);
    CHECK(data == &handled);
    __atomic_add_fetch(&handled, 1, __ATOMIC_RELEASE);
    return false;
}

static hsa_queue_t *queues[QUEUES];

// Every queue waits for a gate, runs a kernel and has it counted.
static void check_many_queues(void) {
    kernel_t count = kernel("count.kd");
    int *counter = allocate(fine, 64);
    void *kernargs = arguments(&count, &counter, sizeof counter);
    hsa_signal_t gate = new_signal(1), done = new_signal(QUEUES), copied = new_signal(1), never = new_signal(1);
    int *copy = allocate(fine, 64);
    for (int i = 0; i < QUEUES; i++) queues[i] = new_queue(64);
    check_idle("with queues that are empty");
    for (int i = 0; i < QUEUES; i++) {
        hsa_barrier_and_packet_t barrier = {
            .header = (i & 1 ? HSA_PACKET_TYPE_BARRIER_AND : HSA_PACKET_TYPE_BARRIER_OR) << HSA_PACKET_HEADER_TYPE | FENCES | BARRIER_BIT,
            .dep_signal = {gate, {0}, i & 1 ? gate : never},
        };
        submit(queues[i], &barrier);
        hsa_kernel_dispatch_packet_t packet = dispatch(&count, kernargs, 1, 1, done);
        packet.header |= BARRIER_BIT;
        submit(queues[i], &packet);
    }
    HSA(hsa_amd_signal_async_handler(done, HSA_SIGNAL_CONDITION_EQ, 0, handle, &handled));
    HSA(hsa_amd_memory_async_copy(copy, gpu, counter, cpu, 4, 1, &done, copied));
    check_idle("with queues that are blocked");
    EQUAL(hsa_signal_load_scacquire(done), QUEUES);
    EQUAL(*counter, 0);
    hsa_signal_store_screlease(gate, 0);
    wait_for_zero(copied);
    EQUAL(*counter, QUEUES);
    EQUAL(*copy, QUEUES);
    while (!__atomic_load_n(&handled, __ATOMIC_ACQUIRE)) usleep(1000);
    check_idle("after the kernels");
    for (int i = 0; i < QUEUES; i++) HSA(hsa_queue_destroy(queues[i]));
    EQUAL(__atomic_load_n(&handled, __ATOMIC_ACQUIRE), 1);
    HSA(hsa_signal_destroy(never));
}

// Kernels of more queues than there are threads at first, each of which waits for all others.
static void check_meeting(void) {
    enum { ALL = 12 };
    kernel_t meet = kernel("meet.kd");
    struct {
        int *counter;
        int count;
    } values = {allocate(fine, 64), ALL};
    void *kernargs = arguments(&meet, &values, sizeof values);
    hsa_signal_t done = new_signal(ALL);
    for (int i = 0; i < ALL; i++) {
        queues[i] = new_queue(64);
        hsa_kernel_dispatch_packet_t packet = dispatch(&meet, kernargs, 1, 1, done);
        submit(queues[i], &packet);
    }
    wait_for_zero(done);
    EQUAL(*values.counter, ALL);
    for (int i = 0; i < ALL; i++) HSA(hsa_queue_destroy(queues[i]));
}

// A kernel stores to the signals of a barrier, a copy and a handler without a word.
static void check_device_stores(void) {
    kernel_t store = kernel("store.kd");
    hsa_queue_t *waiting = new_queue(64), *working = new_queue(64);
    for (int round = 0; round < 20; round++) {
        hsa_signal_t s = new_signal(1), passed = new_signal(1), copied = new_signal(1);
        int *memory = allocate(fine, 64);
        __atomic_store_n(&handled, 0, __ATOMIC_RELEASE);
        HSA(hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_EQ, 0, handle, &handled));
        HSA(hsa_amd_memory_async_copy(memory, gpu, memory + 4, cpu, 4, 1, &s, copied));
        hsa_barrier_and_packet_t barrier = {
            .header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | FENCES | BARRIER_BIT,
            .dep_signal = {s},
            .completion_signal = passed,
        };
        submit(waiting, &barrier);
        // The value is the second field of the signal.
        struct {
            uint64_t value;
            int64_t what;
        } values = {s.handle + 8, 0};
        hsa_kernel_dispatch_packet_t packet = dispatch(&store, arguments(&store, &values, sizeof values), 1, 1, (hsa_signal_t){0});
        submit(working, &packet);
        wait_for_zero(s);
        wait_for_zero(passed);
        wait_for_zero(copied);
        while (!__atomic_load_n(&handled, __ATOMIC_ACQUIRE)) usleep(1000);
        hsa_signal_t all[3] = {s, passed, copied};
        for (int i = 0; i < 3; i++) HSA(hsa_signal_destroy(all[i]));
        HSA(hsa_amd_memory_pool_free(memory));
    }
    HSA(hsa_queue_destroy(waiting));
    HSA(hsa_queue_destroy(working));
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    check_many_queues();
    check_device_stores();
    check_idle("at the end");
    check_meeting();
    HSA(hsa_shut_down());
    long sleeps;
    while (others(&sleeps) > 0) usleep(1000); // it has no threads any more
    puts("ok idle");
    return 0;
}
