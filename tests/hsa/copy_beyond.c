// Copies, fills and prefetches that end past an allocation of the library: a sentence that names it, an error, and nothing
// behind it is written.
// Says: past the end of a buffer in device memory
// Says: past the end of a buffer in host memory
#include "check.h"

enum { SIZE = 1 << 16 };

static void fails(hsa_signal_t done) {
    hsa_signal_value_t value = hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_NE, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    if (value >= 0) FAIL("the signal is %ld, not negative", (long)value);
    hsa_signal_store_screlease(done, 1);
}

int main(void) {
    find_machine();
    // Neighbours, if any are.
    char *device = allocate(coarse, SIZE), *host = allocate(fine, SIZE), *more = allocate(coarse, 4 * SIZE);
    char *own = calloc(4, SIZE);
    hsa_signal_t done = new_signal(1);
    memset(own, 7, 4 * SIZE);
    char *ours[2] = {device, host};
    for (int i = 0; i < 2; i++) {
        HSA(hsa_memory_copy(ours[i], own, SIZE));
        REFUSED(hsa_memory_copy(ours[i], own, SIZE + 1));
        REFUSED(hsa_memory_copy(own, ours[i], SIZE + 1));
        REFUSED(hsa_memory_copy(ours[i] + SIZE - 4, own, 8));
        REFUSED(hsa_amd_memory_fill(ours[i], 1, SIZE / 4 + 1));
        HSA(hsa_amd_memory_fill(ours[i], 0x01010101, SIZE / 4));
        HSA(hsa_amd_memory_async_copy(ours[i], gpu, more, cpu, 2 * SIZE, 0, NULL, done));
        fails(done);
        HSA(hsa_amd_memory_async_copy(more, gpu, ours[i], cpu, 2 * SIZE, 0, NULL, done));
        fails(done);
        HSA(hsa_amd_memory_async_copy(more, gpu, ours[i], cpu, SIZE_MAX / 2, 0, NULL, done));
        fails(done);
        HSA(hsa_amd_svm_prefetch_async(ours[i], 2 * SIZE, gpu, 0, NULL, done));
        fails(done);
        // Rows of which the last one ends past it.
        hsa_pitched_ptr_t to = {more, 256, SIZE}, from = {ours[i], 256, SIZE};
        hsa_dim3_t at = {0, 0, 0}, shifted = {1, 0, 0}, range = {256, SIZE / 256, 1};
        HSA(hsa_amd_memory_async_copy_rect(&to, &at, &from, &shifted, &range, gpu, hsaHostToDevice, 0, NULL, done));
        fails(done);
        HSA(hsa_amd_memory_async_copy_rect(&to, &at, &from, &at, &range, gpu, hsaHostToDevice, 0, NULL, done));
        wait_for_zero(done);
        hsa_signal_store_screlease(done, 1);
        for (int k = 0; k < SIZE; k++) EQUAL(more[k], 1);
    }
    for (int k = SIZE; k < 4 * SIZE; k++) EQUAL(more[k], 0);
    HSA(hsa_shut_down());
    free(own);
    puts("ok copy_beyond");
    return 0;
}
