// fork after the last hsa_shut_down: the child begins anew, as its parent may. fork while the library is open: every call of
// the child says so, and the parent goes on.
#include "check.h"
#include <sys/wait.h>

static bool handled(hsa_signal_value_t value, void *data) {
    (void)value;
    hsa_signal_store_screlease(*(hsa_signal_t *)data, 0);
    return false;
}

// Everything that has a thread: kernels, barriers, copies, handlers.
static void use(const char *path) {
    find_machine();
    load_kernels(path);
    hsa_queue_t *queue = new_queue(64);
    kernel_t count = kernel("count.kd");
    int *counter = allocate(fine, 64), *copied = allocate(coarse, 64);
    hsa_signal_t counted = new_signal(1), done = new_signal(1), called = new_signal(1), passed = new_signal(1);
    HSA(hsa_amd_signal_async_handler(done, HSA_SIGNAL_CONDITION_EQ, 0, handled, &called));
    HSA(hsa_amd_memory_async_copy(copied, gpu, counter, cpu, 4, 1, &counted, done));
    hsa_barrier_and_packet_t barrier = {
        .header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | FENCES | BARRIER_BIT,
        .dep_signal = {called},
        .completion_signal = passed,
    };
    hsa_queue_t *other = new_queue(64);
    submit(other, &barrier);
    hsa_kernel_dispatch_packet_t packet = dispatch(&count, arguments(&count, &counter, sizeof counter), 640, 64, counted);
    submit(queue, &packet);
    wait_for_zero(passed);
    EQUAL(*copied, 640);
    HSA(hsa_executable_destroy(executable));
    // Neither the queues nor the signals are destroyed.
    HSA(hsa_shut_down());
}

static void in_child(void (*what)(const char *), const char *path) {
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        what(path);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void is_refused(const char *path) {
    (void)path;
    uint16_t major;
    GIVES(HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, hsa_init());
    GIVES(HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major));
}

static void grandchildren(const char *path) {
    use(path);
    in_child(use, path);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    in_child(use, argv[1]); // before anything was opened
    HSA(hsa_init());
    in_child(is_refused, argv[1]);
    HSA(hsa_shut_down());
    for (int i = 0; i < 3; i++) {
        in_child(grandchildren, argv[1]);
        use(argv[1]);
    }
    HSA(hsa_init());
    in_child(is_refused, argv[1]);
    use(argv[1]);
    HSA(hsa_shut_down());
    in_child(use, argv[1]);
    puts("ok fork_after_shut_down");
    return 0;
}
