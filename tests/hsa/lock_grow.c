// Locks of the same address, of the same size and of others: as many unlocks, and nothing stays.
#include "locks.h"

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    char *p = map_pages(2, PROT_READ | PROT_WRITE);
    for (int shrinks = 0; shrinks < 2; shrinks++) {
        lock_memory(p, shrinks ? 2 * PAGE : PAGE);
        lock_memory(p, shrinks ? PAGE : 2 * PAGE);
        CHECK(reaches(p) && reaches(p + PAGE));
        HSA(hsa_amd_memory_unlock(p));
        CHECK(reaches(p));
        HSA(hsa_amd_memory_unlock(p));
        CHECK(!reaches(p) && !reaches(p + PAGE));
    }
    for (int i = 0; i < 3; i++) lock_memory(p, PAGE);
    for (int i = 0; i < 3; i++) {
        CHECK(reaches(p));
        HSA(hsa_amd_memory_unlock(p));
    }
    CHECK(!reaches(p));
    // Memory of the library is in reach anyhow, and freed as ever.
    char *ours = allocate(fine, PAGE);
    CHECK(lock_memory(ours, PAGE) == ours);
    CHECK(reaches(ours));
    HSA(hsa_amd_memory_unlock(ours));
    CHECK(reaches(ours));
    HSA(hsa_amd_memory_pool_free(ours));
    CHECK(!poke(ours));
    HSA(hsa_shut_down());
    puts("ok lock_grow");
    return 0;
}
