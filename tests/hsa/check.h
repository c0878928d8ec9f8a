// What every client of the HSA interface here uses. The first argument is the code object of kernels.cl.
#pragma once
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAIL(...)                                                                                      \
    do {                                                                                               \
        fprintf(stderr, "FAIL: %s:%d: ", __FILE__, __LINE__);                                          \
        fprintf(stderr, __VA_ARGS__);                                                                  \
        fputc('\n', stderr);                                                                           \
        _exit(1);                                                                                      \
    } while (0)

#define CHECK(condition)                                                                               \
    do {                                                                                               \
        if (!(condition)) FAIL("not so: %s", #condition);                                              \
    } while (0)

#define EQUAL(got, want)                                                                               \
    do {                                                                                               \
        long long got_ = (long long)(got), want_ = (long long)(want);                                  \
        if (got_ != want_) FAIL("%s is %lld (%#llx), not %lld", #got, got_, got_, want_);              \
    } while (0)

// A call that has to return this status.
#define GIVES(status, call)                                                                            \
    do {                                                                                               \
        int got_ = (int)(call), want_ = (int)(status);                                                 \
        if (got_ != want_) FAIL("%s: %#x, not %#x (%s)", #call, got_, want_, #status);                 \
    } while (0)

#define HSA(call) GIVES(HSA_STATUS_SUCCESS, call)
// A call whose argument is wrong in one of the ways that the headers give this status to.
#define REFUSED(call) GIVES(HSA_STATUS_ERROR_INVALID_ARGUMENT, call)

// The agents and pools of the machine, and the kernels.
static hsa_agent_t cpu, gpu;
static hsa_amd_memory_pool_t fine, kernarg, coarse;
static hsa_executable_t executable;

static inline hsa_status_t take_agent(hsa_agent_t agent, void *data) {
    (void)data;
    hsa_device_type_t type;
    HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_CPU && !cpu.handle) cpu = agent;
    if (type == HSA_DEVICE_TYPE_GPU && !gpu.handle) gpu = agent;
    return HSA_STATUS_SUCCESS;
}

static inline hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *data) {
    hsa_amd_segment_t segment;
    uint32_t flags;
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if (data && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) coarse = pool;
    if (!data && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) kernarg = pool;
    if (!data && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED && !(flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT))
        fine = pool;
    return HSA_STATUS_SUCCESS;
}

static inline void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) FAIL("%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size);
    if (fread(bytes, 1, *size, file) != *size) FAIL("%s cannot be read", path);
    fclose(file);
    return bytes;
}

static inline void find_machine(void) {
    HSA(hsa_init());
    HSA(hsa_iterate_agents(take_agent, NULL));
    CHECK(cpu.handle && gpu.handle);
    HSA(hsa_amd_agent_iterate_memory_pools(cpu, take_pool, NULL));
    HSA(hsa_amd_agent_iterate_memory_pools(gpu, take_pool, &coarse));
    CHECK(fine.handle && kernarg.handle && coarse.handle);
}

static inline void load_kernels(const char *path) {
    size_t size;
    void *bytes = read_file(path, &size);
    hsa_code_object_reader_t reader;
    HSA(hsa_code_object_reader_create_from_memory(bytes, size, &reader));
    HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
    HSA(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
    HSA(hsa_executable_freeze(executable, NULL));
    HSA(hsa_code_object_reader_destroy(reader));
    free(bytes);
}

typedef struct {
    uint64_t object;
    uint32_t kernarg, group, private_;
} kernel_t;

static inline kernel_t kernel(const char *name) {
    hsa_executable_symbol_t symbol;
    kernel_t k;
    HSA(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &k.object));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &k.kernarg));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &k.group));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &k.private_));
    return k;
}

// Zeroed memory of a pool that both agents may use.
static inline void *allocate(hsa_amd_memory_pool_t pool, size_t size) {
    void *memory = NULL;
    HSA(hsa_amd_memory_pool_allocate(pool, size, 0, &memory));
    hsa_agent_t both[2] = {cpu, gpu};
    HSA(hsa_amd_agents_allow_access(2, both, NULL, memory));
    memset(memory, 0, size);
    return memory;
}

// Memory for the arguments of a kernel, hidden ones included.
static inline void *arguments(const kernel_t *k, const void *values, size_t size) {
    void *memory = allocate(kernarg, k->kernarg + 256u);
    memcpy(memory, values, size);
    return memory;
}

static inline hsa_signal_t new_signal(hsa_signal_value_t value) {
    hsa_signal_t signal;
    HSA(hsa_signal_create(value, 0, NULL, &signal));
    return signal;
}

static inline void wait_for_zero(hsa_signal_t signal) {
    hsa_signal_value_t value =
        hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    EQUAL(value, 0);
}

enum {
    FENCES = HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
             HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
    BARRIER_BIT = 1 << HSA_PACKET_HEADER_BARRIER,
};

// Writes a packet of 64 bytes as the specification says: the header last, then the doorbell.
static inline void submit(hsa_queue_t *queue, const void *packet) {
    uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
    while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) usleep(10);
    char *slot = (char *)queue->base_address + (index & (queue->size - 1)) * 64;
    memcpy(slot + 4, (const char *)packet + 4, 60);
    uint32_t first;
    memcpy(&first, packet, 4);
    __atomic_store_n((uint32_t *)slot, first, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

static inline hsa_kernel_dispatch_packet_t dispatch(const kernel_t *k, void *kernargs, uint32_t grid, uint16_t group,
                                                    hsa_signal_t completion) {
    hsa_kernel_dispatch_packet_t packet = {
        .header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | FENCES,
        .setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS,
        .workgroup_size_x = group,
        .workgroup_size_y = 1,
        .workgroup_size_z = 1,
        .grid_size_x = grid,
        .grid_size_y = 1,
        .grid_size_z = 1,
        .private_segment_size = k->private_,
        .group_segment_size = k->group,
        .kernel_object = k->object,
        .kernarg_address = kernargs,
        .completion_signal = completion,
    };
    return packet;
}

static inline hsa_queue_t *new_queue(uint32_t size) {
    hsa_queue_t *queue;
    HSA(hsa_queue_create(gpu, size, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &queue));
    return queue;
}
