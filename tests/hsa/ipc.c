// Memory and signals of two processes: one starts the other, by exec, and sends it handles. Kernels of each work on what
// the other has written. Sizes below and above those of shared mappings.
#include "check.h"
#include <sys/wait.h>

enum { SIZES = 2 };
static const size_t sizes[SIZES] = {64 << 10, 5 << 20};

// What the processes send each other.
typedef struct {
    hsa_amd_ipc_memory_t memory[SIZES];
    hsa_amd_ipc_signal_t there, back;
} handles_t;

static void put_all(int to, const void *bytes, size_t size) { EQUAL(write(to, bytes, size), (ssize_t)size); }

static void get_all(int from, void *bytes, size_t size) {
    for (size_t n = 0; n < size;) {
        ssize_t got = read(from, (char *)bytes + n, size - n);
        if (got <= 0) FAIL("the other process is gone");
        n += (size_t)got;
    }
}

// Multiplies every number by the factor of the kernels, which is 3.
static void scale(int *numbers, size_t size, hsa_signal_t completion) {
    static hsa_queue_t *queue;
    if (!queue) queue = new_queue(64);
    kernel_t k = kernel("scale.kd");
    void *kernargs = arguments(&k, &numbers, sizeof numbers);
    hsa_kernel_dispatch_packet_t packet = dispatch(&k, kernargs, (uint32_t)(size / sizeof *numbers), 256, completion);
    submit(queue, &packet);
}

static void scale_and_wait(int *numbers, size_t size) {
    hsa_signal_t done = new_signal(1);
    scale(numbers, size, done);
    wait_for_zero(done);
    HSA(hsa_signal_destroy(done));
}

static void all_are(const int *numbers, size_t size, int factor) {
    for (size_t n = 0; n < size / sizeof *numbers; n++)
        if (numbers[n] != (int)n * factor) FAIL("number %zu is %d, not %d", n, numbers[n], (int)n * factor);
}

static hsa_signal_t shared_signal(hsa_signal_value_t value, hsa_amd_ipc_signal_t *handle) {
    hsa_signal_t signal;
    HSA(hsa_amd_signal_create(value, 0, NULL, HSA_AMD_SIGNAL_IPC, &signal));
    HSA(hsa_amd_ipc_signal_create(signal, handle));
    return signal;
}

static void wait_for(hsa_signal_t signal, hsa_signal_value_t value) {
    EQUAL(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, value, 60000000000ull, HSA_WAIT_STATE_BLOCKED), value);
}

// The second process: takes what the first one shares, then shares some of its own and ends.
static void peer(const char *path, int from, int to) {
    find_machine();
    load_kernels(path);
    handles_t given;
    get_all(from, &given, sizeof given);
    int *memory[SIZES];
    hsa_signal_t there, back;
    HSA(hsa_amd_ipc_signal_attach(&given.there, &there));
    HSA(hsa_amd_ipc_signal_attach(&given.back, &back));
    for (int n = 0; n < SIZES; n++) {
        REFUSED(hsa_amd_ipc_memory_attach(&given.memory[n], sizes[n] / 2, 0, NULL, (void **)&memory[n]));
        REFUSED(hsa_amd_ipc_memory_attach(&given.memory[n], sizes[n], 0, NULL, NULL));
        GIVES(HSA_STATUS_ERROR_INVALID_AGENT,
              hsa_amd_ipc_memory_attach(&given.memory[n], sizes[n], 1, &(hsa_agent_t){77}, (void **)&memory[n]));
        HSA(hsa_amd_ipc_memory_attach(&given.memory[n], sizes[n], 1, &gpu, (void **)&memory[n]));
        hsa_amd_pointer_info_t info = {.size = sizeof info};
        HSA(hsa_amd_pointer_info((char *)memory[n] + 100, &info, NULL, NULL, NULL));
        EQUAL(info.type, HSA_EXT_POINTER_TYPE_IPC);
        CHECK(info.agentBaseAddress == memory[n] && info.sizeInBytes == sizes[n]);
        EQUAL(info.agentOwner.handle, gpu.handle);
        all_are(memory[n], sizes[n], 3);
    }
    wait_for(there, 7);
    for (int n = 0; n < SIZES; n++) scale_and_wait(memory[n], sizes[n]);
    // Attached again, it is the same memory, until each is detached.
    int *again;
    HSA(hsa_amd_ipc_memory_attach(&given.memory[1], sizes[1], 0, NULL, (void **)&again));
    all_are(again, sizes[1], 9);
    HSA(hsa_amd_ipc_memory_detach(again));
    REFUSED(hsa_amd_ipc_memory_detach(again));
    GIVES(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_memory_pool_free(memory[1]));
    hsa_signal_store_screlease(back, 1);
    // A kernel of the first process, which this one's barrier waits for.
    hsa_queue_t *queue = new_queue(16);
    hsa_signal_t met = new_signal(1);
    hsa_barrier_and_packet_t barrier = {.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | FENCES,
                                        .dep_signal = {there},
                                        .completion_signal = met};
    submit(queue, &barrier);
    wait_for_zero(met);
    all_are(memory[1], sizes[1], 27);
    // And one of this process, whose completion the first one waits for.
    hsa_signal_store_screlease(back, 2);
    wait_for(there, -5);
    scale(memory[1], sizes[1], back);
    wait_for(there, -6);
    // The owner has freed it: what is attached stays, but cannot be attached again.
    all_are(memory[1], sizes[1], 81);
    REFUSED(hsa_amd_ipc_memory_attach(&given.memory[1], sizes[1], 0, NULL, (void **)&again));
    handles_t own;
    memset(&own, 0, sizeof own);
    int *mine = allocate(fine, sizes[0]);
    mine[3] = 33;
    HSA(hsa_amd_ipc_memory_create(mine, sizes[0], &own.memory[0]));
    // What was attached can be passed on.
    HSA(hsa_amd_ipc_memory_create(memory[1], sizes[1], &own.memory[1]));
    hsa_signal_t signal = shared_signal(40, &own.there);
    put_all(to, &own, sizeof own);
    char ready;
    get_all(from, &ready, 1);
    EQUAL(mine[3], 34);
    EQUAL(hsa_signal_load_scacquire(signal), 41);
    HSA(hsa_signal_destroy(there));
    GIVES(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_signal_destroy(there));
    // Without a word to the runtime: it dies with everything.
    _exit(0);
}

static void errors(void) {
    char *memory = allocate(coarse, 1 << 20);
    hsa_amd_ipc_memory_t handle;
    REFUSED(hsa_amd_ipc_memory_create(NULL, 1 << 20, &handle));
    REFUSED(hsa_amd_ipc_memory_create(memory, 1 << 20, NULL));
    REFUSED(hsa_amd_ipc_memory_create(memory + 4096, (1 << 20) - 4096, &handle));
    REFUSED(hsa_amd_ipc_memory_create(memory, 4096, &handle));
    char own[8192];
    REFUSED(hsa_amd_ipc_memory_create(own, sizeof own, &handle));
    void *locked;
    HSA(hsa_amd_memory_lock(own, sizeof own, NULL, 0, &locked));
    REFUSED(hsa_amd_ipc_memory_create(own, sizeof own, &handle));
    HSA(hsa_amd_memory_unlock(own));
    memset(&handle, 0, sizeof handle);
    void *mapped;
    REFUSED(hsa_amd_ipc_memory_attach(&handle, 4096, 0, NULL, &mapped));
    memset(&handle, 0x5a, sizeof handle);
    REFUSED(hsa_amd_ipc_memory_attach(&handle, 4096, 0, NULL, &mapped));
    REFUSED(hsa_amd_ipc_memory_attach(NULL, 4096, 0, NULL, &mapped));
    REFUSED(hsa_amd_ipc_memory_detach(memory));
    HSA(hsa_amd_ipc_memory_create(memory, 1 << 20, &handle));
    // A handle of memory is none of a signal.
    hsa_signal_t signal;
    REFUSED(hsa_amd_ipc_signal_attach((hsa_amd_ipc_signal_t *)&handle, &signal));
    // A signal has to be made for it.
    signal = new_signal(0);
    REFUSED(hsa_amd_ipc_signal_create(signal, (hsa_amd_ipc_signal_t *)&handle));
    HSA(hsa_signal_destroy(signal));
    // In its own process, too, it is the same memory.
    HSA(hsa_amd_ipc_memory_create(memory, 1 << 20, &handle));
    HSA(hsa_amd_ipc_memory_attach(&handle, 1 << 20, 0, NULL, &mapped));
    memory[77] = 5;
    EQUAL(((char *)mapped)[77], 5);
    HSA(hsa_amd_ipc_memory_detach(mapped));
    EQUAL(memory[77], 5);
    HSA(hsa_amd_memory_pool_free(memory));
    REFUSED(hsa_amd_ipc_memory_attach(&handle, 1 << 20, 0, NULL, &mapped));
}

// Kernels that store while their memory is moved to a file lose no store.
static void moved_while_in_use(void) {
    volatile int *place = allocate(coarse, 1 << 20);
    enum { COUNT = 1 << 20 };
    kernel_t k = kernel("count.kd");
    hsa_queue_t *queue = new_queue(16);
    hsa_signal_t done = new_signal(1);
    void *kernargs = arguments(&k, &place, sizeof place);
    hsa_kernel_dispatch_packet_t packet = dispatch(&k, kernargs, COUNT, 256, done);
    submit(queue, &packet);
    while (*place == 0) usleep(10);
    hsa_amd_ipc_memory_t handle;
    HSA(hsa_amd_ipc_memory_create((void *)place, 1 << 20, &handle));
    wait_for_zero(done);
    EQUAL(*place, COUNT);
    HSA(hsa_amd_memory_pool_free((void *)place));
}

// A forked child has memory of its own, but for what was shared by then.
static void forked_child(void) {
    char *shared = allocate(coarse, 4096), *own = allocate(coarse, 4096);
    hsa_amd_ipc_memory_t handle;
    HSA(hsa_amd_ipc_memory_create(shared, 4096, &handle));
    pid_t child = fork();
    if (child == 0) {
        shared[9] = own[9] = 1;
        _exit(0);
    }
    EQUAL(waitpid(child, NULL, 0), child);
    EQUAL(shared[9], 1);
    EQUAL(own[9], 0);
    HSA(hsa_amd_memory_pool_free(shared));
    HSA(hsa_amd_memory_pool_free(own));
}

int main(int count, char **words) {
    if (count == 4) peer(words[1], atoi(words[2]), atoi(words[3]));
    int there_pipe[2], back_pipe[2];
    CHECK(pipe(there_pipe) == 0 && pipe(back_pipe) == 0);
    pid_t other = fork();
    if (other == 0) {
        char from[16], to[16];
        snprintf(from, sizeof from, "%d", there_pipe[0]);
        snprintf(to, sizeof to, "%d", back_pipe[1]);
        execl("/proc/self/exe", words[0], words[1], from, to, NULL);
        _exit(9);
    }
    close(there_pipe[0]), close(back_pipe[1]);
    find_machine();
    load_kernels(words[1]);
    errors();
    moved_while_in_use();
    forked_child();

    handles_t given, taken;
    int *memory[SIZES];
    hsa_signal_t there = shared_signal(0, &given.there), back = shared_signal(0, &given.back);
    for (int n = 0; n < SIZES; n++) {
        memory[n] = allocate(coarse, sizes[n]);
        for (size_t i = 0; i < sizes[n] / sizeof(int); i++) memory[n][i] = (int)i;
        HSA(hsa_amd_ipc_memory_create(memory[n], sizes[n], &given.memory[n]));
        scale_and_wait(memory[n], sizes[n]);
    }
    put_all(there_pipe[1], &given, sizeof given);
    hsa_signal_store_screlease(there, 7);
    wait_for(back, 1);
    for (int n = 0; n < SIZES; n++) all_are(memory[n], sizes[n], 9);
    hsa_signal_store_screlease(there, 1);
    scale(memory[1], sizes[1], there);
    wait_for(back, 2);
    all_are(memory[1], sizes[1], 27);
    hsa_signal_store_screlease(there, -5);
    wait_for(back, 1);
    all_are(memory[1], sizes[1], 81);
    HSA(hsa_amd_memory_pool_free(memory[1]));
    hsa_signal_store_screlease(there, -6);

    get_all(back_pipe[0], &taken, sizeof taken);
    int *its, *first;
    HSA(hsa_amd_ipc_memory_attach(&taken.memory[0], sizes[0], 0, NULL, (void **)&its));
    HSA(hsa_amd_ipc_memory_attach(&taken.memory[1], sizes[1], 0, NULL, (void **)&first));
    all_are(first, sizes[1], 81);
    EQUAL(its[3]++, 33);
    hsa_signal_t signal;
    HSA(hsa_amd_ipc_signal_attach(&taken.there, &signal));
    hsa_signal_add_screlease(signal, 1);
    put_all(there_pipe[1], "", 1);
    int status;
    EQUAL(waitpid(other, &status, 0), other);
    EQUAL(status, 0);
    // Its memory and its signal live on here; its handles are dead.
    EQUAL(its[3], 34);
    EQUAL(hsa_signal_load_scacquire(signal), 41);
    scale_and_wait(its, sizes[0]);
    EQUAL(its[3], 102);
    void *mapped;
    REFUSED(hsa_amd_ipc_memory_attach(&taken.memory[0], sizes[0], 0, NULL, &mapped));
    REFUSED(hsa_amd_ipc_signal_attach(&taken.there, &signal));
    EQUAL(hsa_signal_load_scacquire(there), -6);
    HSA(hsa_signal_destroy(there));
    HSA(hsa_signal_destroy(back));
    HSA(hsa_amd_ipc_memory_detach(its));
    HSA(hsa_shut_down());
    puts("ok ipc");
}
