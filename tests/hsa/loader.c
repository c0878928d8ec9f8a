// Readers, executables, symbols, globals, and the refusals of each.
// Says: the program will miss its kernels, and libraries may go on without
// Says: the program will miss its 12 kernels (
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
// GPUs: gfx701
#include "check.h"

static int kernels, variables;
static hsa_status_t count_symbol(hsa_executable_t e, hsa_executable_symbol_t symbol, void *data) {
    (void)e, (void)data;
    hsa_symbol_kind_t kind;
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind));
    ++*(kind == HSA_SYMBOL_KIND_KERNEL ? &kernels : &variables);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t count_symbol_of(hsa_executable_t e, hsa_agent_t agent, hsa_executable_symbol_t symbol, void *data) {
    EQUAL(agent.handle, gpu.handle);
    return count_symbol(e, symbol, data);
}

static hsa_executable_t create(void) {
    hsa_executable_t e;
    HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &e));
    return e;
}

static void check_readers(void *bytes, size_t size) {
    hsa_code_object_reader_t reader;
    REFUSED(hsa_code_object_reader_create_from_memory(NULL, size, &reader));
    REFUSED(hsa_code_object_reader_create_from_memory(bytes, 0, &reader));
    REFUSED(hsa_code_object_reader_create_from_memory(bytes, size, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, hsa_code_object_reader_destroy((hsa_code_object_reader_t){0}));
    GIVES(HSA_STATUS_ERROR_INVALID_FILE, hsa_code_object_reader_create_from_file(-1, &reader));

    // Bytes that are no code object, or half of one.
    hsa_executable_t e = create();
    static const char text[200] = "no code object";
    HSA(hsa_code_object_reader_create_from_memory(text, sizeof text, &reader));
    GIVES(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, hsa_executable_load_agent_code_object(e, gpu, reader, NULL, NULL));
    HSA(hsa_code_object_reader_destroy(reader));
    HSA(hsa_code_object_reader_create_from_memory(bytes, size / 2, &reader));
    GIVES(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, hsa_executable_load_agent_code_object(e, gpu, reader, NULL, NULL));
    HSA(hsa_code_object_reader_destroy(reader));

    // The machine in e_flags (AMDGPU guide, "ELF Header": EF_AMDGPU_MACH) is another one: gfx802, of version 8.0.2.
    char *other = malloc(size);
    memcpy(other, bytes, size);
    other[48] = 0x29;
    HSA(hsa_code_object_reader_create_from_memory(other, size, &reader));
    hsa_status_t status = hsa_executable_load_agent_code_object(e, gpu, reader, NULL, NULL);
    CHECK(status == HSA_STATUS_ERROR_INVALID_ISA_NAME || status == HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS ||
          status == HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    HSA(hsa_code_object_reader_destroy(reader));
    free(other);
    HSA(hsa_executable_destroy(e));
}

static void check_states(void *bytes, size_t size) {
    hsa_executable_t e = create();
    hsa_executable_state_t state;
    HSA(hsa_executable_get_info(e, HSA_EXECUTABLE_INFO_STATE, &state));
    EQUAL(state, HSA_EXECUTABLE_STATE_UNFROZEN);
    hsa_code_object_reader_t reader;
    hsa_loaded_code_object_t loaded;
    HSA(hsa_code_object_reader_create_from_memory(bytes, size, &reader));
    GIVES(HSA_STATUS_ERROR_INVALID_AGENT, hsa_executable_load_agent_code_object(e, (hsa_agent_t){3}, reader, NULL, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_EXECUTABLE,
          hsa_executable_load_agent_code_object((hsa_executable_t){0}, gpu, reader, NULL, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER,
          hsa_executable_load_agent_code_object(e, gpu, (hsa_code_object_reader_t){0}, NULL, NULL));
    HSA(hsa_executable_load_agent_code_object(e, gpu, reader, NULL, &loaded));
    HSA(hsa_executable_freeze(e, NULL));
    HSA(hsa_executable_get_info(e, HSA_EXECUTABLE_INFO_STATE, &state));
    EQUAL(state, HSA_EXECUTABLE_STATE_FROZEN);
    GIVES(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, hsa_executable_freeze(e, NULL));
    GIVES(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, hsa_executable_load_agent_code_object(e, gpu, reader, NULL, NULL));
    uint32_t result = 77;
    HSA(hsa_executable_validate(e, &result));
    EQUAL(result, 0);
    HSA(hsa_code_object_reader_destroy(reader));
    HSA(hsa_executable_destroy(e));
    GIVES(HSA_STATUS_ERROR_INVALID_EXECUTABLE, hsa_executable_freeze(e, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_EXECUTABLE, hsa_executable_destroy(e));
}

static void check_symbols(void) {
    hsa_executable_symbol_t symbol;
    HSA(hsa_executable_get_symbol_by_name(executable, "add.kd", &gpu, &symbol));
    hsa_symbol_kind_t kind;
    uint32_t length = 0, kernarg_size = 0, alignment = 0;
    char name[64] = "";
    uint64_t object = 0;
    hsa_agent_t agent = {0};
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind));
    EQUAL(kind, HSA_SYMBOL_KIND_KERNEL);
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length));
    EQUAL(length, 6);
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name));
    CHECK(strncmp(name, "add.kd", 6) == 0);
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_AGENT, &agent));
    EQUAL(agent.handle, gpu.handle);
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    CHECK(object && object % 64 == 0); // the descriptor's alignment
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernarg_size));
    CHECK(kernarg_size >= 24);
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT, &alignment));
    CHECK(alignment >= 8);
    // The first dword pair of a descriptor are its LDS and scratch sizes, the third its argument size (AMDGPU guide).
    uint32_t descriptor[3];
    HSA(hsa_memory_copy(descriptor, (void *)object, sizeof descriptor));
    EQUAL(descriptor[2], kernarg_size);
    CHECK(hsa_executable_get_symbol_by_name(executable, "absent.kd", &gpu, &symbol) == HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    REFUSED(hsa_executable_get_symbol_by_name(executable, NULL, &gpu, &symbol));
    REFUSED(hsa_executable_get_symbol_by_name(executable, "add.kd", &gpu, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL,
          hsa_executable_symbol_get_info((hsa_executable_symbol_t){0}, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind));
    HSA(hsa_executable_iterate_symbols(executable, count_symbol, NULL));
    EQUAL(kernels, 12);
    EQUAL(variables, 1);
    kernels = variables = 0;
    HSA(hsa_executable_iterate_agent_symbols(executable, gpu, count_symbol_of, NULL));
    EQUAL(kernels, 12);
}

// A global that the host writes is what the kernel reads.
static void check_variable(void) {
    hsa_executable_symbol_t symbol;
    HSA(hsa_executable_get_symbol_by_name(executable, "factor", &gpu, &symbol));
    uint64_t address = 0;
    uint32_t size = 0;
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size));
    EQUAL(size, 4);
    int factor = 0;
    HSA(hsa_memory_copy(&factor, (void *)address, 4));
    EQUAL(factor, 3);
    hsa_queue_t *queue = new_queue(64);
    kernel_t scale = kernel("scale.kd");
    int *v = allocate(fine, 64 * 4);
    struct {
        int *v;
        uint64_t offsets[3];
    } values = {v, {0, 0, 0}};
    void *kernargs = arguments(&scale, &values, sizeof values);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 64; i++) v[i] = i;
        hsa_signal_t done = new_signal(1);
        hsa_kernel_dispatch_packet_t packet = dispatch(&scale, kernargs, 64, 64, done);
        submit(queue, &packet);
        wait_for_zero(done);
        for (int i = 0; i < 64; i++) EQUAL(v[i], i * (round ? 50 : 3));
        factor = 50;
        HSA(hsa_memory_copy((void *)address, &factor, 4));
        HSA(hsa_signal_destroy(done));
    }
    HSA(hsa_queue_destroy(queue));
}

// The loader's extension tells where code of the GPU is for the host.
// Variables that the program itself defines, before code objects that use them are loaded.
static void check_definitions(void) {
    hsa_executable_t fresh;
    HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &fresh));
    int *variable = allocate(coarse, 64);
    REFUSED(hsa_executable_global_variable_define(fresh, NULL, variable));
    GIVES(HSA_STATUS_ERROR_INVALID_AGENT,
          hsa_executable_agent_global_variable_define(fresh, (hsa_agent_t){5}, "outside", variable));
    HSA(hsa_executable_agent_global_variable_define(fresh, gpu, "outside", variable));
    GIVES(HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED, hsa_executable_global_variable_define(fresh, "outside", variable));
    HSA(hsa_executable_freeze(fresh, NULL));
    GIVES(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, hsa_executable_global_variable_define(fresh, "other", variable));
    HSA(hsa_executable_destroy(fresh));
    GIVES(HSA_STATUS_ERROR_INVALID_EXECUTABLE, hsa_executable_global_variable_define(fresh, "other", variable));
    HSA(hsa_amd_memory_pool_free(variable));
}

static void check_extension(void) {
    hsa_ven_amd_loader_1_00_pfn_t table;
    HSA(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof table, &table));
    kernel_t add = kernel("add.kd");
    const void *host = NULL;
    HSA(table.hsa_ven_amd_loader_query_host_address((void *)add.object, &host));
    CHECK(host);
    uint32_t descriptor[3];
    memcpy(descriptor, host, sizeof descriptor);
    EQUAL(descriptor[2], add.kernarg);
    hsa_executable_t owner = {0};
    HSA(table.hsa_ven_amd_loader_query_executable((void *)add.object, &owner));
    EQUAL(owner.handle, executable.handle);
    REFUSED(table.hsa_ven_amd_loader_query_host_address(NULL, &host));
    REFUSED(table.hsa_ven_amd_loader_query_host_address((void *)add.object, NULL));
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    find_machine();
    size_t size;
    void *bytes = read_file(argv[1], &size);
    check_readers(bytes, size);
    check_states(bytes, size);
    load_kernels(argv[1]);
    check_symbols();
    check_variable();
    check_definitions();
    check_extension();
    // Two of the same at once, and many in turn.
    hsa_executable_t first = executable;
    kernel_t before = kernel("add.kd");
    load_kernels(argv[1]);
    CHECK(kernel("add.kd").object != before.object);
    HSA(hsa_executable_destroy(first));
    for (int i = 0; i < 50; i++) {
        HSA(hsa_executable_destroy(executable));
        load_kernels(argv[1]);
    }
    HSA(hsa_executable_destroy(executable));
    HSA(hsa_shut_down());
    free(bytes);
    puts("ok loader");
    return 0;
}
