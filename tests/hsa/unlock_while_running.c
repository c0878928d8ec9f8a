// Memory that is taken away while a kernel stores to it: the kernel ends with a fault, and the memory can be unmapped.
// Says: hammer
#define _GNU_SOURCE
#include "locks.h"
#include <dlfcn.h>

// Starts a kernel that stores to a place without end, and waits until it does.
static hsa_queue_t *hammer(void *place) {
    kernel_t k = kernel("hammer.kd");
    struct {
        void *place;
        int *begun;
    } values = {place, allocate(fine, 64)};
    hsa_queue_t *queue = fragile();
    hsa_kernel_dispatch_packet_t packet = dispatch(&k, arguments(&k, &values, sizeof values), 1, 1, (hsa_signal_t){0});
    submit(queue, &packet);
    while (!__atomic_load_n(values.begun, __ATOMIC_ACQUIRE)) usleep(100);
    return queue;
}

#define FUNCTION(name, ...) hsa_status_t (*name)(__VA_ARGS__) = dlsym(RTLD_DEFAULT, "hsa_amd_vmem_" #name)

// The same with memory that is mapped by calls of ROCm 6, which older headers lack.
static void check_unmap(void) {
    FUNCTION(address_reserve, void **, size_t, uint64_t, uint64_t);
    FUNCTION(handle_create, hsa_amd_memory_pool_t, size_t, uint32_t, uint64_t, uint64_t *);
    FUNCTION(map, void *, size_t, size_t, uint64_t, uint64_t);
    FUNCTION(unmap, void *, size_t);
    struct {
        int permissions;
        hsa_agent_t agent;
    } access = {3, gpu};
    FUNCTION(set_access, void *, size_t, const void *, size_t);
    for (int i = 0; i < 2; i++) {
        void *address;
        uint64_t memory;
        HSA(address_reserve(&address, PAGE, 0, 0));
        HSA(handle_create(coarse, PAGE, 0, 0, &memory));
        HSA(map(address, PAGE, 0, memory, 0));
        HSA(set_access(address, PAGE, &access, 1));
        hsa_queue_t *queue = hammer(address);
        if (i == 0) HSA(unmap(address, PAGE));
        access.permissions = 1;
        if (i == 1) HSA(set_access(address, PAGE, &access, 1)); // loads only, from now on
        wait_for_fault();
        HSA(hsa_queue_destroy(queue));
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    for (int i = 0; i < 4; i++) {
        char *p = map_pages(1, PROT_READ | PROT_WRITE);
        char *there = lock_memory(p, PAGE);
        hsa_queue_t *queue = hammer(i & 1 ? there : p);
        HSA(hsa_amd_memory_unlock(p));
        CHECK(munmap(p, PAGE) == 0);
        wait_for_fault();
        HSA(hsa_queue_destroy(queue));
    }
    check_unmap();
    HSA(hsa_shut_down());
    puts("ok unlock_while_running");
    return 0;
}
