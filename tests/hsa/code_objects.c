// Code objects as version 1.0 of the interface has them: handles of their own, with attributes and symbols.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
// GPUs: gfx701
#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int kernels, variables;
static hsa_status_t count_symbol(hsa_code_object_t object, hsa_code_symbol_t symbol, void *data) {
    EQUAL(object.handle, *(uint64_t *)data);
    hsa_symbol_kind_t kind;
    HSA(hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_TYPE, &kind));
    ++*(kind == HSA_SYMBOL_KIND_KERNEL ? &kernels : &variables);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t no_memory(size_t size, hsa_callback_data_t data, void **address) {
    (void)size, (void)data, (void)address;
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

static hsa_status_t some_memory(size_t size, hsa_callback_data_t data, void **address) {
    *(size_t *)data.handle = size;
    *address = malloc(size);
    return HSA_STATUS_SUCCESS;
}

static void check_attributes(hsa_code_object_t object) {
    char version[64];
    memset(version, 'x', sizeof version);
    HSA(hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_VERSION, version));
    CHECK(version[0] >= '2' && version[0] <= '6' && version[63] == 0);
    hsa_isa_t isa;
    HSA(hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_ISA, &isa));
    uint32_t length;
    HSA(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length));
    CHECK(length > 10);
    hsa_machine_model_t model;
    HSA(hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_MACHINE_MODEL, &model));
    EQUAL(model, HSA_MACHINE_MODEL_LARGE);
    REFUSED(hsa_code_object_get_info(object, (hsa_code_object_info_t)99, &model));
    REFUSED(hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_ISA, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
          hsa_code_object_get_info((hsa_code_object_t){1}, HSA_CODE_OBJECT_INFO_ISA, &isa));
}

static void check_symbols(hsa_code_object_t object) {
    HSA(hsa_code_object_iterate_symbols(object, count_symbol, &object.handle));
    CHECK(kernels >= 10 && variables >= 1);
    REFUSED(hsa_code_object_iterate_symbols(object, NULL, NULL));
    hsa_code_symbol_t scale, again, factor;
    HSA(hsa_code_object_get_symbol(object, "scale", &scale));
    HSA(hsa_code_object_get_symbol_from_name(object, NULL, "scale.kd", &again));
    EQUAL(scale.handle, again.handle);
    HSA(hsa_code_object_get_symbol(object, "factor", &factor));
    GIVES(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, hsa_code_object_get_symbol(object, "nothing", &again));
    REFUSED(hsa_code_object_get_symbol(object, NULL, &again));
    REFUSED(hsa_code_object_get_symbol(object, "scale", NULL));
    uint32_t bytes;
    HSA(hsa_code_symbol_get_info(factor, HSA_CODE_SYMBOL_INFO_VARIABLE_SIZE, &bytes));
    EQUAL(bytes, 4);
    HSA(hsa_code_symbol_get_info(scale, HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &bytes));
    CHECK(bytes >= 8);
    char name[64] = "";
    HSA(hsa_code_symbol_get_info(scale, HSA_CODE_SYMBOL_INFO_NAME_LENGTH, &bytes));
    EQUAL(bytes, 8);
    HSA(hsa_code_symbol_get_info(scale, HSA_CODE_SYMBOL_INFO_NAME, name));
    CHECK(strcmp(name, "scale.kd") == 0);
    GIVES(HSA_STATUS_ERROR_INVALID_CODE_SYMBOL,
          hsa_code_symbol_get_info((hsa_code_symbol_t){1}, HSA_CODE_SYMBOL_INFO_TYPE, &bytes));
}

// What is serialized are the bytes that it was made of.
static void check_bytes(hsa_code_object_t object, const void *bytes, size_t size) {
    size_t asked = 0, told = 0;
    void *copy = NULL;
    hsa_callback_data_t data = {(uint64_t)(uintptr_t)&asked};
    HSA(hsa_code_object_serialize(object, some_memory, data, NULL, &copy, &told));
    CHECK(asked == size && told == size && memcmp(copy, bytes, size) == 0);
    free(copy);
    GIVES(HSA_STATUS_ERROR_OUT_OF_RESOURCES, hsa_code_object_serialize(object, no_memory, data, NULL, &copy, &told));
    REFUSED(hsa_code_object_serialize(object, NULL, data, NULL, &copy, &told));
    REFUSED(hsa_code_object_serialize(object, some_memory, data, NULL, NULL, &told));
}

static void check_run(hsa_code_object_t object) {
    HSA(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, NULL, &executable));
    GIVES(HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
          hsa_executable_load_code_object(executable, gpu, (hsa_code_object_t){1}, NULL));
    HSA(hsa_executable_load_code_object(executable, gpu, object, NULL));
    HSA(hsa_executable_freeze(executable, NULL));
    GIVES(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, hsa_executable_load_code_object(executable, gpu, object, NULL));
    int *numbers = allocate(fine, 4096);
    for (int i = 0; i < 64; i++) numbers[i] = i;
    kernel_t k = kernel("scale.kd");
    hsa_signal_t done = new_signal(1);
    hsa_kernel_dispatch_packet_t packet = dispatch(&k, arguments(&k, &numbers, sizeof numbers), 64, 64, done);
    submit(new_queue(16), &packet);
    wait_for_zero(done);
    for (int i = 0; i < 64; i++) EQUAL(numbers[i], 3 * i);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    size_t size;
    char *bytes = read_file(argv[1], &size), *given = malloc(size);
    memcpy(given, bytes, size);
    hsa_code_object_t object;
    REFUSED(hsa_code_object_deserialize(NULL, size, NULL, &object));
    REFUSED(hsa_code_object_deserialize(given, 0, NULL, &object));
    REFUSED(hsa_code_object_deserialize(given, size, NULL, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, hsa_code_object_deserialize(given, size / 2, NULL, &object));
    HSA(hsa_code_object_deserialize(given, size, NULL, &object));
    // The program may do with its bytes what it likes.
    memset(given, 0, size);
    free(given);
    check_attributes(object);
    check_symbols(object);
    check_bytes(object, bytes, size);
    check_run(object);
    HSA(hsa_executable_destroy(executable));
    HSA(hsa_code_object_destroy(object));
    GIVES(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, hsa_code_object_destroy(object));
    free(bytes);
    HSA(hsa_shut_down());
    puts("ok code_objects");
    return 0;
}
