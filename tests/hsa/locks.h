// What the tests of locked memory share: kernels that store where they may or may not, and what becomes of them.
#pragma once
#include "check.h"
#include <sys/mman.h>

enum { PAGE = 4096 };

static hsa_status_t seen;
static int errors;

static inline void on_error(hsa_status_t status, hsa_queue_t *queue, void *data) {
    CHECK(queue && data == &errors);
    seen = status;
    __atomic_add_fetch(&errors, 1, __ATOMIC_RELEASE);
}

static inline hsa_queue_t *fragile(void) {
    hsa_queue_t *queue;
    __atomic_store_n(&errors, 0, __ATOMIC_RELEASE);
    HSA(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, on_error, &errors, UINT32_MAX, UINT32_MAX, &queue));
    return queue;
}

static inline void wait_for_fault(void) {
    for (int i = 0; i < 20000 && !__atomic_load_n(&errors, __ATOMIC_ACQUIRE); i++) usleep(1000);
    EQUAL(__atomic_load_n(&errors, __ATOMIC_ACQUIRE), 1);
    EQUAL(seen, HSA_STATUS_ERROR_MEMORY_FAULT);
}

// Lets a kernel store 1 to an address; whether it could.
static inline bool poke(void *address) {
    kernel_t k = kernel("poke.kd");
    hsa_queue_t *queue = fragile();
    hsa_signal_t done = new_signal(1);
    hsa_kernel_dispatch_packet_t packet = dispatch(&k, arguments(&k, &address, 8), 1, 1, done);
    submit(queue, &packet);
    while (hsa_signal_load_scacquire(done) == 1 && !__atomic_load_n(&errors, __ATOMIC_ACQUIRE)) usleep(100);
    bool done_well = hsa_signal_load_scacquire(done) == 0;
    if (!done_well) wait_for_fault();
    HSA(hsa_queue_destroy(queue));
    HSA(hsa_signal_destroy(done));
    return done_well;
}

// Whether a kernel reaches a dword of the program's memory, at the host's address.
static inline bool reaches(char *memory) {
    *(int *)memory = 0;
    bool reached = poke(memory);
    EQUAL(*(int *)memory, reached);
    return reached;
}

static inline void *lock_memory(void *memory, size_t size) {
    void *seen_at = NULL;
    HSA(hsa_amd_memory_lock(memory, size, &gpu, 1, &seen_at));
    return seen_at;
}

static inline char *map_pages(size_t pages, int protection) {
    char *memory = mmap(NULL, pages * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}
