// Locks of the same pages: each is taken away by itself, and what one lock still covers stays in reach.
// Says: poke
#include "locks.h"

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    char *p = map_pages(4, PROT_READ | PROT_WRITE);
    lock_memory(p, 2 * PAGE);
    lock_memory(p + 16, 16);
    CHECK(reaches(p) && reaches(p + PAGE));
    HSA(hsa_amd_memory_unlock(p));
    CHECK(!reaches(p + PAGE)); // only the small one is left, which has the first page
    CHECK(reaches(p));
    HSA(hsa_amd_memory_unlock(p + 16));
    CHECK(!reaches(p));

    // The other way round, and from the middle of one into another.
    lock_memory(p + 16, 16);
    lock_memory(p, 2 * PAGE);
    lock_memory(p + PAGE, 2 * PAGE);
    HSA(hsa_amd_memory_unlock(p + 16));
    CHECK(reaches(p) && reaches(p + PAGE) && reaches(p + 2 * PAGE));
    HSA(hsa_amd_memory_unlock(p));
    CHECK(!reaches(p) && reaches(p + PAGE) && reaches(p + 2 * PAGE));
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    HSA(hsa_amd_pointer_info(p + 2 * PAGE, &info, NULL, NULL, NULL));
    EQUAL(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
    CHECK(info.hostBaseAddress == p + PAGE && info.sizeInBytes == 2 * PAGE);
    HSA(hsa_amd_memory_unlock(p + PAGE));
    CHECK(!reaches(p + PAGE) && !reaches(p + 2 * PAGE));
    HSA(hsa_amd_memory_unlock(p)); // never locked by now

    // The address that the GPU has for a page goes with the lock, too.
    int *there = lock_memory(p, PAGE);
    CHECK(poke(there) && *(int *)p == 1);
    HSA(hsa_amd_memory_unlock(there));
    CHECK(!poke(there));
    CHECK(munmap(p, 4 * PAGE) == 0);
    HSA(hsa_shut_down());
    puts("ok lock_overlap");
    return 0;
}
