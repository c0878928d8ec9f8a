// Allocation, copies, fills, what is known of a pointer, and host memory that is lent.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
// GPUs: gfx701
#include "check.h"

static void check_allocation(void) {
    void *memory = NULL;
    REFUSED(hsa_amd_memory_pool_allocate(fine, 0, 0, &memory));
    REFUSED(hsa_amd_memory_pool_allocate(fine, 4096, 0, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_MEMORY_POOL, hsa_amd_memory_pool_allocate((hsa_amd_memory_pool_t){1}, 64, 0, &memory));
    for (size_t size = 1; size < 1 << 22; size = size * 3 + 1) {
        HSA(hsa_amd_memory_pool_allocate(fine, size, 0, &memory));
        CHECK((uintptr_t)memory % 4096 == 0);
        memset(memory, 0x5A, size);
        HSA(hsa_amd_memory_pool_free(memory));
    }
    int local;
    CHECK(hsa_amd_memory_pool_free(&local) != HSA_STATUS_SUCCESS);
    HSA(hsa_memory_free(NULL));
}

static void check_copies(void) {
    const size_t size = 100000;
    uint8_t *a = allocate(fine, size), *b = allocate(coarse, size), *c = allocate(fine, size);
    for (size_t i = 0; i < size; i++) a[i] = (uint8_t)(i * 7 + i / 256);
    HSA(hsa_memory_copy(b, a, size));
    HSA(hsa_memory_copy(c, b, size));
    CHECK(memcmp(a, c, size) == 0);
    HSA(hsa_memory_copy(c, b, 0));
    REFUSED(hsa_memory_copy(NULL, b, 1));
    REFUSED(hsa_memory_copy(c, NULL, 1));

    HSA(hsa_amd_memory_fill(b, 0xCAFEBABE, 1000));
    HSA(hsa_memory_copy(c, b, size));
    for (size_t i = 0; i < 1000; i++) {
        uint32_t word;
        memcpy(&word, c + 4 * i, 4);
        EQUAL(word, 0xCAFEBABE);
    }
    CHECK(memcmp(a + 4000, c + 4000, size - 4000) == 0);
    REFUSED(hsa_amd_memory_fill(NULL, 0, 1));
    REFUSED(hsa_amd_memory_fill(b + 1, 0, 1)); // not aligned to 4 bytes

    // An asynchronous copy waits for its signals, all of them.
    hsa_signal_t first = new_signal(1), second = new_signal(1), done = new_signal(1);
    hsa_signal_t both[2] = {first, second};
    memset(c, 0, size);
    HSA(hsa_amd_memory_async_copy(b, gpu, a, cpu, size, 2, both, done));
    hsa_signal_store_screlease(first, 0);
    usleep(20000);
    EQUAL(hsa_signal_load_scacquire(done), 1);
    a[0] = 99; // not yet copied
    hsa_signal_store_screlease(second, 0);
    wait_for_zero(done);
    HSA(hsa_memory_copy(c, b, size));
    CHECK(memcmp(a, c, size) == 0);
    REFUSED(hsa_amd_memory_async_copy(NULL, gpu, a, cpu, size, 0, NULL, done));
    REFUSED(hsa_amd_memory_async_copy(b, gpu, a, cpu, size, 1, NULL, done));
    GIVES(HSA_STATUS_ERROR_INVALID_AGENT, hsa_amd_memory_async_copy(b, (hsa_agent_t){5}, a, cpu, size, 0, NULL, done));

    // Its times.
    HSA(hsa_amd_profiling_async_copy_enable(true));
    hsa_amd_profiling_async_copy_time_t times = {0};
    hsa_signal_store_screlease(done, 1);
    HSA(hsa_amd_memory_async_copy(b, gpu, a, cpu, size, 0, NULL, done));
    wait_for_zero(done);
    HSA(hsa_amd_profiling_get_async_copy_time(done, &times));
    CHECK(times.start > 0 && times.end >= times.start);
    for (int i = 0; i < 2; i++) HSA(hsa_signal_destroy(both[i]));
    HSA(hsa_signal_destroy(done));
    HSA(hsa_amd_memory_pool_free(a));
    HSA(hsa_amd_memory_pool_free(b));
    HSA(hsa_amd_memory_pool_free(c));
}

// A box of 20 x 6 x 3 bytes at (4, 1, 1) of the source goes to (8, 2, 0) of the destination.
static void check_rectangle(void) {
    enum { W = 64, H = 10, D = 4 };
    uint8_t *a = allocate(fine, W * H * D), *b = allocate(fine, W * H * D);
    for (int i = 0; i < W * H * D; i++) a[i] = (uint8_t)(i * 13 + i / 256);
    hsa_pitched_ptr_t from = {a, W, W * H}, to = {b, W, W * H};
    hsa_dim3_t at = {4, 1, 1}, range = {20, 6, 3}, there = {8, 2, 0};
    hsa_signal_t done = new_signal(1);
    HSA(hsa_amd_memory_async_copy_rect(&to, &there, &from, &at, &range, gpu, hsaHostToDevice, 0, NULL, done));
    wait_for_zero(done);
    for (unsigned z = 0; z < D; z++)
        for (unsigned y = 0; y < H; y++)
            for (unsigned x = 0; x < W; x++) {
                bool inside = x >= 8 && x < 28 && y >= 2 && y < 8 && z < 3;
                EQUAL(b[(z * H + y) * W + x], inside ? a[((z + 1) * H + y - 1) * W + x - 4] : 0);
            }
    HSA(hsa_signal_destroy(done));
    HSA(hsa_amd_memory_pool_free(a));
    HSA(hsa_amd_memory_pool_free(b));
}

static void check_pointer_info(void) {
    char *memory = allocate(coarse, 10000);
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    uint32_t count = 0;
    hsa_agent_t *accessible = NULL;
    HSA(hsa_amd_pointer_info(memory + 100, &info, malloc, &count, &accessible));
    EQUAL(info.type, HSA_EXT_POINTER_TYPE_HSA);
    CHECK(info.agentBaseAddress == memory && info.sizeInBytes >= 10000 && info.sizeInBytes < 20000);
    EQUAL(info.agentOwner.handle, gpu.handle);
    CHECK(count >= 1 && accessible);
    free(accessible);
    int tag;
    HSA(hsa_amd_pointer_info_set_userdata(memory, &tag));
    HSA(hsa_amd_pointer_info(memory, &info, NULL, NULL, NULL));
    CHECK(info.userData == &tag);
    int local;
    HSA(hsa_amd_pointer_info(&local, &info, NULL, NULL, NULL));
    EQUAL(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
    REFUSED(hsa_amd_pointer_info(memory, NULL, NULL, NULL, NULL));
    HSA(hsa_amd_memory_pool_free(memory));
    info.size = sizeof info;
    HSA(hsa_amd_pointer_info(memory, &info, NULL, NULL, NULL));
    EQUAL(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
}

static void check_lock(void) {
    const size_t size = 3 * 4096;
    char *own = malloc(size), *seen = NULL;
    strcpy(own + 5, "lent");
    HSA(hsa_amd_memory_lock(own + 5, size - 5, &gpu, 1, (void **)&seen));
    CHECK(seen);
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    HSA(hsa_amd_pointer_info(own + 5, &info, NULL, NULL, NULL));
    EQUAL(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
    // A copy reads it at the address that the GPU has for it.
    char *copy = allocate(fine, 4096);
    hsa_signal_t done = new_signal(1);
    HSA(hsa_amd_memory_async_copy(copy, gpu, seen, gpu, 5, 0, NULL, done));
    wait_for_zero(done);
    CHECK(strcmp(copy, "lent") == 0);
    HSA(hsa_signal_destroy(done));
    HSA(hsa_amd_memory_unlock(own + 5));
    HSA(hsa_amd_pointer_info(own + 5, &info, NULL, NULL, NULL));
    EQUAL(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
    REFUSED(hsa_amd_memory_lock(NULL, size, &gpu, 1, (void **)&seen));
    REFUSED(hsa_amd_memory_lock(own, 0, &gpu, 1, (void **)&seen));
    REFUSED(hsa_amd_memory_lock(own, size, &gpu, 1, NULL));
    HSA(hsa_amd_memory_pool_free(copy));
    free(own);
}

static void check_access(void) {
    char *memory = NULL;
    HSA(hsa_amd_memory_pool_allocate(fine, 4096, 0, (void **)&memory));
    HSA(hsa_amd_agents_allow_access(1, &gpu, NULL, memory));
    REFUSED(hsa_amd_agents_allow_access(0, &gpu, NULL, memory));
    REFUSED(hsa_amd_agents_allow_access(1, NULL, NULL, memory));
    REFUSED(hsa_amd_agents_allow_access(1, &gpu, NULL, NULL));
    hsa_agent_t wrong = {77};
    GIVES(HSA_STATUS_ERROR_INVALID_AGENT, hsa_amd_agents_allow_access(1, &wrong, NULL, memory));
    HSA(hsa_amd_memory_pool_free(memory));
}

static uint64_t svm(void *memory, size_t size, uint64_t attribute) {
    hsa_amd_svm_attribute_pair_t get = {attribute, 0};
    HSA(hsa_amd_svm_attributes_get(memory, size, &get, 1));
    return get.value;
}

// Attributes of shared virtual memory are kept by pages; every question has an answer, and a prefetch completes its signal.
static void check_svm(void) {
    void *memory = NULL;
    CHECK(posix_memalign(&memory, 4096, 16384) == 0);
    hsa_amd_svm_attribute_pair_t set[] = {
        {HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, gpu.handle},
        {HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1},
        {HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpu.handle},
    };
    HSA(hsa_amd_svm_attributes_set(memory, 16384, set, 3));
    hsa_amd_svm_attribute_pair_t get[] = {
        {HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, 0},
        {HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, gpu.handle},
    };
    HSA(hsa_amd_svm_attributes_get(memory, 16384, get, 2));
    EQUAL(get[0].value, gpu.handle);
    CHECK(get[1].attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE && get[1].value == gpu.handle);
    char *second = (char *)memory + 8192;
    hsa_amd_svm_attribute_pair_t coarse_grained = {HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED};
    HSA(hsa_amd_svm_attributes_set(second, 1, &coarse_grained, 1));
    EQUAL(svm(memory, 8192, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG), HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED);
    EQUAL(svm(second, 4096, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG), HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED);
    EQUAL(svm(memory, 16384, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG), HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE);
    EQUAL(svm(second, 8192, HSA_AMD_SVM_ATTRIB_READ_MOSTLY), 1);
    EQUAL(svm(memory, 16384, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), 0);
    hsa_amd_svm_attribute_pair_t wrong[] = {{HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION, gpu.handle}, {99, 0}};
    REFUSED(hsa_amd_svm_attributes_set(memory, 16384, &wrong[0], 1));
    REFUSED(hsa_amd_svm_attributes_set(memory, 16384, &wrong[1], 1));
    REFUSED(hsa_amd_svm_attributes_get(memory, 16384, &wrong[1], 1));
    REFUSED(hsa_amd_svm_attributes_set(memory, 16384, NULL, 1));
    REFUSED(hsa_amd_svm_attributes_get(memory, 16384, NULL, 1));
    hsa_signal_t done = new_signal(1);
    HSA(hsa_amd_svm_prefetch_async(memory, 16384, gpu, 0, NULL, done));
    wait_for_zero(done);
    EQUAL(svm(memory, 16384, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), gpu.handle);
    HSA(hsa_signal_destroy(done));
    free(memory);
}

static void freed(void *memory, void *seen) { *(void **)seen = memory; }

// Who waits for the end of an allocation hears of it, once, unless it does not want to any more.
static void check_deallocation(void) {
    char *memory = allocate(coarse, 8192);
    void *first = NULL, *second = NULL;
    HSA(hsa_amd_register_deallocation_callback(memory, freed, &first));
    HSA(hsa_amd_register_deallocation_callback(memory + 4096, freed, &second));
    REFUSED(hsa_amd_register_deallocation_callback(memory, NULL, NULL));
    REFUSED(hsa_amd_register_deallocation_callback(NULL, freed, NULL));
    REFUSED(hsa_amd_deregister_deallocation_callback(memory + 1, freed));
    HSA(hsa_amd_deregister_deallocation_callback(memory + 4096, freed));
    HSA(hsa_amd_memory_pool_free(memory));
    CHECK(first == memory && second == NULL);
    REFUSED(hsa_amd_deregister_deallocation_callback(memory, freed));
    GIVES(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_register_deallocation_callback(memory, freed, &first));
}

int main(void) {
    find_machine();
    check_allocation();
    check_copies();
    check_rectangle();
    check_pointer_info();
    check_lock();
    check_access();
    check_svm();
    check_deallocation();
    HSA(hsa_shut_down());
    puts("ok memory");
    return 0;
}
