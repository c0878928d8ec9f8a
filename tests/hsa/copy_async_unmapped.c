// Copies from and to memory that is not there, or must not be written: a sentence and an error, and the process goes on.
// Says: which is mapped to nothing
// Says: which is read-only memory of the program
// Says: which the program has protected from all access
// Says: include a page that is mapped after the end of its file
// Says: a copy of hsa_amd_memory_async_copy fails
// Says: a copy of hsa_amd_memory_async_copy_rect fails
// Says: a copy of hsa_amd_svm_prefetch_async fails
// Says: hsa_memory_copy fails
// Says: hsa_amd_memory_fill fails
#define _GNU_SOURCE
#include "check.h"
#include <sys/mman.h>

enum { PAGE = 4096, SIZE = 64 * PAGE };

static char *map(int protection) {
    char *memory = mmap(NULL, SIZE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

// Addresses where nothing is, nor will be: mappings that nobody places go elsewhere, with sanitizers as without.
static char *unmapped(void) {
    char *memory = mmap((void *)0x200000000000, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(memory != MAP_FAILED);
    CHECK(munmap(memory, SIZE) == 0);
    return memory;
}

static void fails(hsa_signal_t done) {
    hsa_signal_value_t value = hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_NE, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    if (value >= 0) FAIL("the signal is %ld, not negative", (long)value);
    hsa_signal_store_screlease(done, 1);
}

// Every way to copy, of few bytes and of many.
static void refused(char *to, char *from) {
    hsa_signal_t done = new_signal(1);
    for (size_t size = 8; size <= SIZE; size *= SIZE / 8) {
        HSA(hsa_amd_memory_async_copy(to, gpu, from, cpu, size, 0, NULL, done));
        fails(done);
        REFUSED(hsa_memory_copy(to, from, size));
    }
    hsa_pitched_ptr_t target = {to, 64, 640}, source = {from, 64, 640};
    hsa_dim3_t at = {0, 0, 0}, range = {64, 10, 3};
    HSA(hsa_amd_memory_async_copy_rect(&target, &at, &source, &at, &range, gpu, hsaHostToDevice, 0, NULL, done));
    fails(done);
    // What depends on a copy that fails, fails.
    hsa_signal_t second = new_signal(1);
    char *good = allocate(fine, SIZE);
    HSA(hsa_amd_memory_async_copy(good, gpu, good + 64, cpu, 64, 1, &done, second));
    HSA(hsa_amd_memory_async_copy(to, gpu, from, cpu, 8, 0, NULL, done));
    fails(second);
    HSA(hsa_signal_destroy(done));
    HSA(hsa_signal_destroy(second));
    HSA(hsa_amd_memory_pool_free(good));
}

// What the program has on its stack is there, touched or not.
__attribute__((noinline)) static void check_stack(char *mine) {
    char first[1 << 20], second[1 << 20];
    memset(mine, 5, SIZE);
    for (int i = 0; i < 2; i++) HSA(hsa_memory_copy(i ? second : first, mine, i ? 64 : SIZE));
    EQUAL(first[SIZE - 1] + second[63], 10);
}

__attribute__((noinline)) static void check_source(char *mine) {
    char untouched[2 << 20], *source = untouched;
    __asm__ volatile("" : "+r"(source)); // the compiler rightly wonders what is there
    HSA(hsa_memory_copy(mine, source, 64));
    HSA(hsa_memory_copy(mine, source, SIZE));
}

int main(void) {
    find_machine();
    check_source(allocate(fine, SIZE));
    check_stack(allocate(fine, SIZE));
    char *mine = allocate(fine, SIZE), *nothing = unmapped(), *constant = map(PROT_READ), *closed = map(PROT_NONE);
    char *own = map(PROT_READ | PROT_WRITE);
    refused(mine, nothing);
    refused(nothing, mine);
    refused(mine, (char *)16);
    refused(constant, mine);
    refused(mine, closed);
    refused(own, nothing);
    HSA(hsa_memory_copy(mine, constant, SIZE));
    REFUSED(hsa_amd_memory_fill(constant, 1, 4));
    REFUSED(hsa_amd_memory_fill(mine, 1, SIZE_MAX / 2));
    hsa_signal_t done = new_signal(1);
    HSA(hsa_amd_svm_prefetch_async(nothing, PAGE, gpu, 0, NULL, done));
    fails(done);

    // A file of one page that is mapped as if it had more.
    int file = memfd_create("short", 0);
    CHECK(file >= 0 && ftruncate(file, PAGE) == 0);
    char *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(mapped != MAP_FAILED);
    strcpy(mapped, "there");
    HSA(hsa_memory_copy(mine, mapped, PAGE));
    CHECK(strcmp(mine, "there") == 0);
    REFUSED(hsa_memory_copy(mine, mapped + PAGE, 8));
    REFUSED(hsa_memory_copy(mine, mapped, SIZE));
    HSA(hsa_shut_down());
    puts("ok copy_async_unmapped");
    return 0;
}
