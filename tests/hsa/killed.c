// The statistics of a program that is killed are told all the same.
// Options: --stats
// Ends: killed
// Says: calls wave instructions compiled      host ms  kernel
// Says: count
#include "check.h"
#include <signal.h>

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    kernel_t count = kernel("count.kd");
    int *counter = allocate(fine, 4096);
    hsa_queue_t *queue = new_queue(64);
    for (int turn = 1; turn <= 3; turn++) {
        hsa_signal_t done = new_signal(1);
        hsa_kernel_dispatch_packet_t packet = dispatch(&count, arguments(&count, &counter, 8), 64, 64, done);
        submit(queue, &packet);
        wait_for_zero(done);
        EQUAL(*counter, 64 * turn);
    }
    raise(SIGKILL);
}
