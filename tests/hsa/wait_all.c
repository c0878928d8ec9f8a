// Waiting for all of several signals: a call of ROCm 6, which older headers lack.
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>

enum { COUNT = 5 };
static hsa_signal_t signals[COUNT];

// One condition after the other comes true, the first only for a while.
static void *change(void *nothing) {
    usleep(20000);
    hsa_signal_store_screlease(signals[0], 1);
    usleep(20000);
    hsa_signal_store_screlease(signals[0], 5);
    for (int n = 1; n < COUNT - 1; n++) {
        usleep(5000);
        hsa_signal_store_screlease(signals[n], -n);
    }
    return nothing;
}

int main(void) {
    find_machine();
    uint32_t (*wait_all)(uint32_t, hsa_signal_t *, hsa_signal_condition_t *, hsa_signal_value_t *, uint64_t,
                         hsa_wait_state_t, hsa_signal_value_t *) = dlsym(RTLD_DEFAULT, "hsa_amd_signal_wait_all");
    CHECK(wait_all);
    hsa_signal_condition_t conditions[COUNT];
    hsa_signal_value_t compares[COUNT], values[COUNT];
    // The last handle is none, and need not be waited for.
    for (int n = 0; n < COUNT - 1; n++) signals[n] = new_signal(9);
    for (int n = 0; n < COUNT; n++) {
        conditions[n] = n ? HSA_SIGNAL_CONDITION_LT : HSA_SIGNAL_CONDITION_EQ;
        compares[n] = n ? 0 : 1;
    }
    EQUAL(wait_all(COUNT, signals, conditions, compares, 1000000, HSA_WAIT_STATE_BLOCKED, values), UINT32_MAX);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, change, NULL) == 0);
    EQUAL(wait_all(COUNT, signals, conditions, compares, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, values), 0);
    CHECK(pthread_join(thread, NULL) == 0);
    EQUAL(values[0], 1);
    for (int n = 1; n < COUNT - 1; n++) EQUAL(values[n], -n);
    EQUAL(wait_all(3, &signals[1], &conditions[1], &compares[1], 0, HSA_WAIT_STATE_ACTIVE, NULL), 0);
    HSA(hsa_shut_down());
    puts("ok wait_all");
    return 0;
}
