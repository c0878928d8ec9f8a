// Memory that is not there cannot be locked, as with the driver, which cannot pin it.
// Says: bytes at 0x10 cannot be locked, by whole pages: it reads at 0x0, which is mapped to nothing
// Says: which is mapped to nothing
// Says: which the program has protected from all access
#include "locks.h"

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    char *p = map_pages(3, PROT_READ | PROT_WRITE);
    void *there = NULL;
    CHECK(munmap(p + PAGE, PAGE) == 0);
    REFUSED(hsa_amd_memory_lock(p + PAGE, PAGE, &gpu, 1, &there));
    REFUSED(hsa_amd_memory_lock(p, 3 * PAGE, &gpu, 1, &there)); // a hole
    REFUSED(hsa_amd_memory_lock(p + PAGE - 4, 8, &gpu, 1, &there));
    REFUSED(hsa_amd_memory_lock((void *)16, 16, &gpu, 1, &there));
    REFUSED(hsa_amd_memory_lock((void *)(UINTPTR_MAX - 16), 64, &gpu, 1, &there));
    REFUSED(hsa_memory_register(p + PAGE, PAGE));
    CHECK(!poke(p + PAGE));
    CHECK(mprotect(p, PAGE, PROT_NONE) == 0);
    REFUSED(hsa_amd_memory_lock(p, PAGE, &gpu, 1, &there));
    CHECK(!poke(p));
    char *freed = allocate(coarse, PAGE);
    HSA(hsa_amd_memory_pool_free(freed));
    REFUSED(hsa_amd_memory_lock(freed, PAGE, &gpu, 1, &there));
    lock_memory(p + 2 * PAGE, PAGE);
    CHECK(reaches(p + 2 * PAGE));
    HSA(hsa_shut_down());
    puts("ok lock_unmapped");
    return 0;
}
