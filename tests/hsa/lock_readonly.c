// Memory that the program may only read is read-only for kernels as well: a store is a fault, not the end of the process.
// Says: which the kernel may only read
#include "locks.h"

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    char *p = map_pages(2, PROT_READ | PROT_WRITE);
    int *sum = allocate(fine, 64), *of = (int *)p;
    of[0] = 40;
    CHECK(mprotect(p, PAGE, PROT_READ) == 0);
    int *there = lock_memory(p, PAGE);
    CHECK(!poke(there));
    CHECK(!poke(p));
    EQUAL(of[0], 40);
    // Loads are fine, and so are stores to the page behind.
    kernel_t add = kernel("add.kd");
    hsa_queue_t *queue = new_queue(64);
    hsa_signal_t done = new_signal(1);
    void *values[3] = {there, there, sum};
    hsa_kernel_dispatch_packet_t packet = dispatch(&add, arguments(&add, values, sizeof values), 1, 1, done);
    submit(queue, &packet);
    wait_for_zero(done);
    EQUAL(*sum, 80);
    lock_memory(p + PAGE, PAGE);
    CHECK(reaches(p + PAGE));
    // A lock that has such a page is read-only whole.
    HSA(hsa_amd_memory_unlock(p + PAGE));
    lock_memory(p, 2 * PAGE);
    CHECK(!poke(p + PAGE));
    HSA(hsa_shut_down());
    puts("ok lock_readonly");
    return 0;
}
