// Signals: every operation, every condition, time-outs, groups and handlers.
#include "check.h"

static void check_operations(void) {
    hsa_signal_t s = new_signal(5);
    EQUAL(hsa_signal_load_relaxed(s), 5);
    hsa_signal_store_relaxed(s, -3);
    EQUAL(hsa_signal_load_scacquire(s), -3);
    hsa_signal_store_screlease(s, 10);
    hsa_signal_add_relaxed(s, 5);
    hsa_signal_add_scacquire(s, 5);
    hsa_signal_add_screlease(s, 5);
    hsa_signal_add_scacq_screl(s, 5);
    EQUAL(hsa_signal_load_relaxed(s), 30);
    hsa_signal_subtract_relaxed(s, 1);
    hsa_signal_subtract_scacquire(s, 2);
    hsa_signal_subtract_screlease(s, 3);
    hsa_signal_subtract_scacq_screl(s, 4);
    EQUAL(hsa_signal_load_relaxed(s), 20);
    hsa_signal_and_relaxed(s, 0x16);
    EQUAL(hsa_signal_load_relaxed(s), 0x14);
    hsa_signal_or_screlease(s, 0x41);
    EQUAL(hsa_signal_load_relaxed(s), 0x55);
    hsa_signal_xor_scacq_screl(s, 0xFF);
    EQUAL(hsa_signal_load_relaxed(s), 0xAA);
    EQUAL(hsa_signal_exchange_scacq_screl(s, 7), 0xAA);
    EQUAL(hsa_signal_exchange_relaxed(s, 8), 7);
    EQUAL(hsa_signal_cas_scacq_screl(s, 8, 9), 8);
    EQUAL(hsa_signal_cas_relaxed(s, 8, 10), 9);
    EQUAL(hsa_signal_load_relaxed(s), 9);
    hsa_signal_silent_store_relaxed(s, 11);
    hsa_signal_silent_store_screlease(s, 12);
    EQUAL(hsa_signal_load_relaxed(s), 12);
    hsa_signal_value_t *pointer = NULL;
    HSA(hsa_amd_signal_value_pointer(s, (volatile hsa_signal_value_t **)&pointer));
    EQUAL(*pointer, 12);
    HSA(hsa_signal_destroy(s));
    REFUSED(hsa_signal_destroy((hsa_signal_t){0}));
    REFUSED(hsa_signal_create(0, 0, NULL, NULL));
    REFUSED(hsa_signal_create(0, 1, NULL, &s));
    hsa_agent_t twice[2] = {gpu, gpu};
    REFUSED(hsa_signal_create(0, 2, twice, &s));
    HSA(hsa_amd_signal_create(4, 0, NULL, HSA_AMD_SIGNAL_IPC, &s));
    EQUAL(hsa_signal_load_relaxed(s), 4);
    HSA(hsa_signal_destroy(s));
}

static void check_conditions(void) {
    hsa_signal_t s = new_signal(5);
    static const struct {
        hsa_signal_condition_t condition;
        hsa_signal_value_t met, unmet;
    } cases[] = {{HSA_SIGNAL_CONDITION_EQ, 5, 6},
                 {HSA_SIGNAL_CONDITION_NE, 4, 5},
                 {HSA_SIGNAL_CONDITION_LT, 6, 5},
                 {HSA_SIGNAL_CONDITION_GTE, 5, 6}};
    for (int i = 0; i < 4; i++)
        for (int state = HSA_WAIT_STATE_BLOCKED; state <= HSA_WAIT_STATE_ACTIVE; state++) {
            hsa_wait_state_t wait = (hsa_wait_state_t)state;
            EQUAL(hsa_signal_wait_scacquire(s, cases[i].condition, cases[i].met, UINT64_MAX, wait), 5);
            // Unmet, it gives up in time, with the value as it is.
            uint64_t then, now, frequency;
            HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
            HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &then));
            EQUAL(hsa_signal_wait_relaxed(s, cases[i].condition, cases[i].unmet, frequency / 50, wait), 5);
            HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
            CHECK(now - then >= frequency / 100);
            EQUAL(hsa_signal_wait_relaxed(s, cases[i].condition, cases[i].unmet, 0, wait), 5);
        }
    HSA(hsa_signal_destroy(s));
}

static void *store_later(void *data) {
    hsa_signal_t *s = data;
    usleep(30000);
    hsa_signal_store_screlease(*s, 0);
    return NULL;
}

static void *plain_store_later(void *data) {
    usleep(30000);
    __atomic_store_n((hsa_signal_value_t *)data, 0, __ATOMIC_RELEASE);
    return NULL;
}

static void check_waking(void) {
    hsa_signal_t s = new_signal(1);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, store_later, &s) == 0);
    wait_for_zero(s);
    pthread_join(thread, NULL);
    // A store through the pointer wakes, too: device code and other processes store like that.
    hsa_signal_value_t *pointer = NULL;
    HSA(hsa_amd_signal_value_pointer(s, (volatile hsa_signal_value_t **)&pointer));
    *pointer = 1;
    CHECK(pthread_create(&thread, NULL, plain_store_later, pointer) == 0);
    wait_for_zero(s);
    pthread_join(thread, NULL);
    HSA(hsa_signal_destroy(s));
}

static void check_any(void) {
    hsa_signal_t s[3] = {new_signal(1), new_signal(1), new_signal(1)};
    hsa_signal_condition_t conditions[3] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ};
    hsa_signal_value_t values[3] = {0, 0, 0}, met = 77;
    EQUAL(hsa_amd_signal_wait_any(3, s, conditions, values, 1000, HSA_WAIT_STATE_BLOCKED, &met), UINT32_MAX);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, store_later, &s[2]) == 0);
    EQUAL(hsa_amd_signal_wait_any(3, s, conditions, values, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, &met), 2);
    EQUAL(met, 0);
    pthread_join(thread, NULL);

    hsa_signal_group_t group;
    hsa_signal_t which;
    HSA(hsa_signal_group_create(3, s, 1, &cpu, &group));
    HSA(hsa_signal_group_wait_any_scacquire(group, conditions, values, HSA_WAIT_STATE_BLOCKED, &which, &met));
    EQUAL(which.handle, s[2].handle);
    HSA(hsa_signal_group_wait_any_relaxed(group, conditions, values, HSA_WAIT_STATE_BLOCKED, &which, &met));
    HSA(hsa_signal_group_destroy(group));
    REFUSED(hsa_signal_group_create(0, s, 1, &cpu, &group));
    REFUSED(hsa_signal_group_create(3, NULL, 1, &cpu, &group));
    REFUSED(hsa_signal_group_create(3, s, 1, &cpu, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP, hsa_signal_group_destroy((hsa_signal_group_t){0}));
    for (int i = 0; i < 3; i++) HSA(hsa_signal_destroy(s[i]));
}

static int calls;
static bool again(hsa_signal_value_t value, void *data) {
    CHECK(data == &calls && value <= 0);
    return __atomic_add_fetch(&calls, 1, __ATOMIC_ACQ_REL) < 3;
}

static bool once(hsa_signal_value_t value, void *data) {
    (void)value;
    hsa_signal_subtract_screlease(*(hsa_signal_t *)data, 1);
    return false;
}

static void nothing(void *data) { hsa_signal_subtract_screlease(*(hsa_signal_t *)data, 1); }

static void check_handlers(void) {
    hsa_signal_t s = new_signal(1);
    HSA(hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_LT, 1, again, &calls));
    usleep(20000);
    EQUAL(__atomic_load_n(&calls, __ATOMIC_ACQUIRE), 0);
    hsa_signal_store_screlease(s, 0);
    // The condition stays met: it is called until it has enough.
    for (int i = 0; i < 10000 && __atomic_load_n(&calls, __ATOMIC_ACQUIRE) < 3; i++) usleep(1000);
    usleep(20000);
    EQUAL(__atomic_load_n(&calls, __ATOMIC_ACQUIRE), 3);

    enum { MANY = 200 };
    hsa_signal_t many[MANY], left = new_signal(MANY);
    for (int i = 0; i < MANY; i++) {
        many[i] = new_signal(1);
        HSA(hsa_amd_signal_async_handler(many[i], HSA_SIGNAL_CONDITION_EQ, 0, once, &left));
    }
    for (int i = MANY - 1; i >= 0; i--) hsa_signal_store_screlease(many[i], 0);
    wait_for_zero(left);
    for (int i = 0; i < MANY; i++) HSA(hsa_signal_destroy(many[i]));
    hsa_signal_store_relaxed(left, 1);
    HSA(hsa_amd_async_function(nothing, &left));
    wait_for_zero(left);
    REFUSED(hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_LT, 1, NULL, NULL));
    HSA(hsa_signal_destroy(left));
    HSA(hsa_signal_destroy(s));
}

int main(void) {
    find_machine();
    check_operations();
    check_conditions();
    check_waking();
    check_any();
    check_handlers();
    HSA(hsa_shut_down());
    puts("ok signals");
    return 0;
}
