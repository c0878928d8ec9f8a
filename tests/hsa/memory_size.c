// The memory of a GPU is as large as the user says, and no larger.
#include "check.h"

int main(void) {
    setenv("WAVETANK_MEMORY", "64M", 1);
    find_machine();
    size_t size = 0;
    uint64_t free_bytes = 0; // HSA_AMD_AGENT_INFO_MEMORY_AVAIL, newer than some headers
    HSA(hsa_amd_memory_pool_get_info(coarse, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size));
    EQUAL(size, 64 << 20);
    HSA(hsa_agent_get_info(gpu, (hsa_agent_info_t)0xA015, &free_bytes));
    EQUAL(free_bytes, 64 << 20);
    void *most = NULL, *more = NULL;
    GIVES(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_memory_pool_allocate(coarse, (64 << 20) + 1, 0, &more));
    HSA(hsa_amd_memory_pool_allocate(coarse, 64 << 20, 0, &most));
    GIVES(HSA_STATUS_ERROR_OUT_OF_RESOURCES, hsa_amd_memory_pool_allocate(coarse, 4096, 0, &more));
    HSA(hsa_amd_memory_pool_free(most));
    HSA(hsa_amd_memory_pool_allocate(coarse, 4096, 0, &more));
    HSA(hsa_shut_down());
    puts("ok memory_size");
}
