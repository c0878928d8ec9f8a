// Copies from and to device memory that has been freed: a sentence and an error, whatever the pages are used for by now.
// Says: a copy of hsa_amd_memory_async_copy fails
// Says: hsa_memory_copy fails
#include "check.h"

static void fails(hsa_signal_t done) {
    hsa_signal_value_t value = hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_NE, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    if (value >= 0) FAIL("the signal is %ld, not negative", (long)value);
    hsa_signal_store_screlease(done, 1);
}

int main(void) {
    find_machine();
    char *good = allocate(fine, 1 << 22);
    hsa_signal_t done = new_signal(1);
    for (size_t size = 16; size <= 1 << 22; size *= 64) {
        char *freed = allocate(coarse, size);
        HSA(hsa_amd_memory_pool_free(freed));
        HSA(hsa_amd_memory_async_copy(good, gpu, freed, gpu, size, 0, NULL, done));
        fails(done);
        HSA(hsa_amd_memory_async_copy(freed, gpu, good, gpu, size, 0, NULL, done));
        fails(done);
        REFUSED(hsa_memory_copy(freed, good, size));
        REFUSED(hsa_amd_memory_fill(freed, 1, size / 4));
    }
    HSA(hsa_shut_down());
    puts("ok copy_freed");
    return 0;
}
