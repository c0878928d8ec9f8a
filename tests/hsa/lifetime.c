// hsa_init and hsa_shut_down count; every call before, between and after says so. Status strings.
#include "check.h"

static hsa_status_t stop_at_first(hsa_agent_t agent, void *data) {
    (void)agent;
    ++*(int *)data;
    return HSA_STATUS_INFO_BREAK;
}

static void check_not_initialized(void) {
    uint16_t major;
    hsa_signal_t signal;
    int count = 0;
    GIVES(HSA_STATUS_ERROR_NOT_INITIALIZED, hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major));
    GIVES(HSA_STATUS_ERROR_NOT_INITIALIZED, hsa_iterate_agents(stop_at_first, &count));
    GIVES(HSA_STATUS_ERROR_NOT_INITIALIZED, hsa_signal_create(0, 0, NULL, &signal));
    GIVES(HSA_STATUS_ERROR_NOT_INITIALIZED, hsa_shut_down());
    EQUAL(count, 0);
}

static void check_status_strings(void) {
    static const hsa_status_t statuses[] = {
        HSA_STATUS_SUCCESS, HSA_STATUS_INFO_BREAK, HSA_STATUS_ERROR, HSA_STATUS_ERROR_INVALID_ARGUMENT,
        HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, HSA_STATUS_ERROR_INVALID_ALLOCATION, HSA_STATUS_ERROR_INVALID_AGENT,
        HSA_STATUS_ERROR_INVALID_REGION, HSA_STATUS_ERROR_INVALID_SIGNAL, HSA_STATUS_ERROR_INVALID_QUEUE,
        HSA_STATUS_ERROR_OUT_OF_RESOURCES, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, HSA_STATUS_ERROR_RESOURCE_FREE,
        HSA_STATUS_ERROR_NOT_INITIALIZED, HSA_STATUS_ERROR_REFCOUNT_OVERFLOW, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS,
        HSA_STATUS_ERROR_INVALID_INDEX, HSA_STATUS_ERROR_INVALID_ISA, HSA_STATUS_ERROR_INVALID_ISA_NAME,
        HSA_STATUS_ERROR_INVALID_CODE_OBJECT, HSA_STATUS_ERROR_INVALID_EXECUTABLE, HSA_STATUS_ERROR_FROZEN_EXECUTABLE,
        HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED,
        HSA_STATUS_ERROR_VARIABLE_UNDEFINED, HSA_STATUS_ERROR_EXCEPTION, HSA_STATUS_ERROR_INVALID_CODE_SYMBOL,
        HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL, HSA_STATUS_ERROR_INVALID_FILE,
        HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, HSA_STATUS_ERROR_INVALID_CACHE, HSA_STATUS_ERROR_INVALID_WAVEFRONT,
        HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP, HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, HSA_STATUS_ERROR_FATAL,
    };
    const char *text, *other;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        text = NULL;
        HSA(hsa_status_string(statuses[i], &text));
        CHECK(text && strlen(text) > 10);
        for (size_t j = 0; j < i; j++) {
            HSA(hsa_status_string(statuses[j], &other));
            CHECK(strcmp(text, other) != 0);
        }
    }
    REFUSED(hsa_status_string((hsa_status_t)0x7777, &text));
    REFUSED(hsa_status_string(HSA_STATUS_SUCCESS, NULL));
}

static void check_system(void) {
    uint16_t major = 0, minor = 0xFFFF;
    uint64_t then = 0, now = 0, frequency = 0, longest = 0;
    hsa_endianness_t endianness = (hsa_endianness_t)7;
    hsa_machine_model_t model = (hsa_machine_model_t)7;
    uint8_t extensions[128] = {0};
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major));
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MINOR, &minor));
    EQUAL(major, 1);
    CHECK(minor >= 1 && minor < 100);
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &then));
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
    CHECK(frequency >= 1000000 && frequency <= 1000000000);
    usleep(20000);
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
    double seconds = (double)(now - then) / (double)frequency;
    CHECK(seconds > 0.019 && seconds < 60);
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT, &longest));
    CHECK(longest > frequency);
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_ENDIANNESS, &endianness));
    EQUAL(endianness, HSA_ENDIANNESS_LITTLE);
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_MACHINE_MODEL, &model));
    EQUAL(model, HSA_MACHINE_MODEL_LARGE);
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_EXTENSIONS, extensions));
    REFUSED(hsa_system_get_info((hsa_system_info_t)0x7777, &now));
    REFUSED(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, NULL));
}

static void check_extensions(void) {
    bool supported = false;
    HSA(hsa_system_extension_supported(HSA_EXTENSION_AMD_LOADER, 1, 0, &supported));
    CHECK(supported);
    HSA(hsa_system_extension_supported(HSA_EXTENSION_AMD_LOADER, 9, 0, &supported));
    CHECK(!supported);
    REFUSED(hsa_system_extension_supported(0x7777, 1, 0, &supported));
    REFUSED(hsa_system_extension_supported(HSA_EXTENSION_AMD_LOADER, 1, 0, NULL));
    uint16_t minor = 0xFFFF;
    HSA(hsa_system_major_extension_supported(HSA_EXTENSION_AMD_LOADER, 1, &minor, &supported));
    CHECK(supported && minor < 100);
    hsa_ven_amd_loader_1_00_pfn_t table = {0};
    HSA(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof table, &table));
    CHECK(table.hsa_ven_amd_loader_query_host_address && table.hsa_ven_amd_loader_query_segment_descriptors &&
          table.hsa_ven_amd_loader_query_executable);
    REFUSED(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof table, NULL));
    REFUSED(hsa_system_get_major_extension_table(0x7777, 1, sizeof table, &table));
    size_t segments = 77;
    HSA(table.hsa_ven_amd_loader_query_segment_descriptors(NULL, &segments));
}

int main(void) {
    check_not_initialized();
    HSA(hsa_init());
    HSA(hsa_init());
    HSA(hsa_shut_down());
    // One reference is left.
    int count = 0;
    GIVES(HSA_STATUS_INFO_BREAK, hsa_iterate_agents(stop_at_first, &count));
    EQUAL(count, 1);
    check_status_strings();
    check_system();
    check_extensions();
    HSA(hsa_shut_down());
    check_not_initialized();
    // And again.
    find_machine();
    HSA(hsa_shut_down());
    check_not_initialized();
    puts("ok lifetime");
    return 0;
}
