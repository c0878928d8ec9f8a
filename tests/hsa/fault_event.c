// A program that handles GPU events itself hears of an access to memory that is not there, and goes on.
// Says: which is outside every allocation
#include "check.h"

static uint64_t address_seen;

static hsa_status_t handle(const hsa_amd_event_t *event, void *data) {
    CHECK(event->event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT);
    EQUAL(event->memory_fault.agent.handle, gpu.handle);
    address_seen = event->memory_fault.virtual_address;
    __atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
    return HSA_STATUS_SUCCESS;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    load_kernels(argv[1]);
    static int handled;
    REFUSED(hsa_amd_register_system_event_handler(NULL, NULL));
    HSA(hsa_amd_register_system_event_handler(handle, &handled));

    kernel_t poke = kernel("poke.kd");
    uint64_t address = 0x123456000;
    void *given = arguments(&poke, &address, sizeof address);
    hsa_signal_t done = new_signal(1);
    hsa_queue_t *queue = new_queue(64);
    hsa_kernel_dispatch_packet_t packet = dispatch(&poke, given, 1, 1, done);
    submit(queue, &packet);
    for (int i = 0; i < 10000 && !__atomic_load_n(&handled, __ATOMIC_ACQUIRE); i++) usleep(1000);
    EQUAL(handled, 1);
    EQUAL(address_seen, address);
    EQUAL(hsa_signal_load_scacquire(done), 1); // what failed is not complete
    HSA(hsa_queue_destroy(queue));
    HSA(hsa_shut_down());
    puts("ok fault_event");
    return 0;
}
