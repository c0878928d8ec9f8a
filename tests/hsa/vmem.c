// Addresses that are reserved, and memory that is mapped at them: the calls of ROCm 6, which older headers lack.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
// GPUs: gfx701
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>

typedef struct {
    uint64_t handle;
} memory_t;
typedef struct {
    uint32_t permissions;
    hsa_agent_t agent;
} access_t;

// The function of a name, which the library has.
static void *function(const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) FAIL("the library lacks %s", name);
    return found;
}

#define FUNCTION(name, ...) hsa_status_t (*name)(__VA_ARGS__) = function("hsa_amd_vmem_" #name)

int main(int count, char **arguments_given) {
    CHECK(count > 1);
    find_machine();
    load_kernels(arguments_given[1]);
    FUNCTION(address_reserve, void **, size_t, uint64_t, uint64_t);
    FUNCTION(address_reserve_align, void **, size_t, uint64_t, uint64_t, uint64_t);
    FUNCTION(address_free, void *, size_t);
    FUNCTION(handle_create, hsa_amd_memory_pool_t, size_t, uint32_t, uint64_t, memory_t *);
    FUNCTION(handle_release, memory_t);
    FUNCTION(map, void *, size_t, size_t, memory_t, uint64_t);
    FUNCTION(unmap, void *, size_t);
    FUNCTION(set_access, void *, size_t, const access_t *, size_t);
    FUNCTION(get_access, void *, uint32_t *, hsa_agent_t);
    FUNCTION(export_shareable_handle, int *, memory_t, uint64_t);
    FUNCTION(import_shareable_handle, int, memory_t *);
    bool supported = false;
    HSA(hsa_system_get_info((hsa_system_info_t)0x205, &supported)); // ..._VIRTUAL_MEM_API_SUPPORTED
    CHECK(supported);

    const size_t page = 4096, size = 16 * page;
    void *address = NULL, *aligned = NULL;
    REFUSED(address_reserve(&address, 100, 0, 0));
    HSA(address_reserve(&address, size, 0, 0));
    HSA(address_reserve_align(&aligned, size, 0, 1 << 21, 0));
    EQUAL((uintptr_t)aligned % (1 << 21), 0);

    memory_t memory;
    GIVES(HSA_STATUS_ERROR_INVALID_MEMORY_POOL, handle_create((hsa_amd_memory_pool_t){1}, size, 0, 0, &memory));
    HSA(handle_create(coarse, size, 0, 0, &memory));
    REFUSED(map((void *)page, size, 0, memory, 0)); // not reserved
    REFUSED(map(address, size, page, memory, 0));   // beyond the memory
    HSA(map(address, size, 0, memory, 0));
    REFUSED(map(address, size, 0, memory, 0)); // something is there

    // The same memory at two addresses, which a kernel reaches once it may.
    HSA(map(aligned, size, 0, memory, 0));
    access_t both = {3, gpu};
    HSA(set_access(address, size, &both, 1));
    uint32_t permissions = 0;
    HSA(get_access(address, &permissions, gpu));
    EQUAL(permissions, 3);
    HSA(get_access(aligned, &permissions, gpu));
    EQUAL(permissions, 0);

    int *values = address, *seen = aligned;
    for (int i = 0; i < 1024; i++) values[i] = i;
    kernel_t scale = kernel("scale.kd");
    void *given = arguments(&scale, &address, sizeof address);
    hsa_signal_t done = new_signal(1);
    hsa_queue_t *queue = new_queue(64);
    hsa_kernel_dispatch_packet_t packet = dispatch(&scale, given, 1024, 64, done);
    submit(queue, &packet);
    wait_for_zero(done);
    for (int i = 0; i < 1024; i++) EQUAL(seen[i], 3 * i);

    GIVES(HSA_STATUS_ERROR_RESOURCE_FREE, address_free(address, size)); // still mapped
    HSA(unmap(address, size));
    GIVES(HSA_STATUS_ERROR_INVALID_ALLOCATION, unmap(address, size));
    HSA(handle_release(memory));
    GIVES(HSA_STATUS_ERROR_INVALID_ALLOCATION, handle_release(memory));
    EQUAL(seen[7], 21); // a mapping keeps the memory
    HSA(unmap(aligned, size));

    // A descriptor of memory, as another process would have it, is the same memory, and keeps it.
    int descriptor = -1;
    memory_t shared;
    HSA(handle_create(coarse, size, 0, 0, &memory));
    HSA(export_shareable_handle(&descriptor, memory, 0));
    HSA(map(address, size, 0, memory, 0));
    REFUSED(import_shareable_handle(-1, &shared));
    int other[2];
    CHECK(pipe(other) == 0);
    REFUSED(import_shareable_handle(other[0], &shared));
    HSA(import_shareable_handle(descriptor, &shared));
    CHECK(close(descriptor) == 0);
    HSA(map(aligned, size, 0, shared, 0));
    values[5] = 77;
    EQUAL(seen[5], 77);
    HSA(unmap(address, size));
    HSA(handle_release(memory));
    GIVES(HSA_STATUS_ERROR_INVALID_ALLOCATION, export_shareable_handle(&descriptor, memory, 0));
    EQUAL(seen[5], 77);
    HSA(unmap(aligned, size));
    HSA(handle_release(shared));
    HSA(address_free(address, size));
    HSA(address_free(aligned, size));
    GIVES(HSA_STATUS_ERROR_INVALID_ALLOCATION, address_free(aligned, size));

    HSA(hsa_queue_destroy(queue));
    HSA(hsa_shut_down());
    puts("ok vmem");
    return 0;
}
