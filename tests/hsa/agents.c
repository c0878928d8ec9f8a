// Agents, instruction sets, regions and pools: every attribute of the headers is answered, and truthfully.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
// GPUs: gfx701
#include "check.h"

static hsa_status_t count_agent(hsa_agent_t agent, void *data) {
    (void)agent;
    ++*(int *)data;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_isa(hsa_isa_t isa, void *data) {
    *(hsa_isa_t *)data = isa;
    return HSA_STATUS_SUCCESS;
}

// Compute units of AMD's product pages (FirePro W9100, RX 580, Vega 64, Radeon VII); features as the table of processors in
// LLVM's "User Guide for AMDGPU Backend" has them.
static const struct chip {
    const char *name, *features;
    uint32_t units;
} chips[] = {{"gfx701", "", 44}, {"gfx803", "", 36}, {"gfx900", ":xnack-", 64}, {"gfx906", ":sramecc-:xnack-", 60}};

static const struct chip *its_chip(const char *name) {
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (strcmp(chips[i].name, name) == 0) return &chips[i];
    CHECK(!"a chip of the list");
    return NULL;
}

static void check_agent(void) {
    char name[64] = "", vendor[64] = "";
    hsa_device_type_t type;
    hsa_agent_feature_t feature;
    uint32_t wave, queues, smallest, largest, units, number;
    uint16_t group[3];
    hsa_dim3_t grid;
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_NAME, name));
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_VENDOR_NAME, vendor));
    const struct chip *chip = its_chip(name);
    CHECK(strcmp(vendor, "AMD") == 0);
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_FEATURE, &feature));
    CHECK(feature & HSA_AGENT_FEATURE_KERNEL_DISPATCH);
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_DEVICE, &type));
    EQUAL(type, HSA_DEVICE_TYPE_GPU);
    HSA(hsa_agent_get_info(cpu, HSA_AGENT_INFO_DEVICE, &type));
    EQUAL(type, HSA_DEVICE_TYPE_CPU);
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wave));
    EQUAL(wave, 64);
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_WORKGROUP_MAX_DIM, group));
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_WORKGROUP_MAX_SIZE, &number));
    EQUAL(number, 1024);
    for (int d = 0; d < 3; d++) CHECK(group[d] == 1024);
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_GRID_MAX_DIM, &grid));
    CHECK(grid.x >= 1u << 30 && grid.y >= 65535 && grid.z >= 65535);
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_QUEUES_MAX, &queues));
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_QUEUE_MIN_SIZE, &smallest));
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &largest));
    CHECK(queues >= 16 && smallest >= 1 && largest >= 4096);
    CHECK((smallest & (smallest - 1)) == 0 && (largest & (largest - 1)) == 0 && smallest <= largest);
    HSA(hsa_agent_get_info(cpu, HSA_AGENT_INFO_QUEUES_MAX, &queues));
    EQUAL(queues, 0);
    HSA(hsa_agent_get_info(gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &units));
    EQUAL(units, chip->units);
    HSA(hsa_agent_get_info(gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU, &number));
    EQUAL(number, 4);
    HSA(hsa_agent_get_info(gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_CACHELINE_SIZE, &number));
    EQUAL(number, 64);
    HSA(hsa_agent_get_info(gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY, &number));
    CHECK(number > 500 && number < 3000);
}

// Attributes newer than some headers: hsa_ext_amd.h of ROCm 6.
static void check_new_attributes(void) {
    hsa_agent_t nearest = {0};
    uint32_t dies = 0, uid = 77;
    uint64_t counters[4] = {0}, limit = 0, frequency = 0;
    HSA(hsa_agent_get_info(gpu, (hsa_agent_info_t)0xA111, &dies)); // NUM_XCC
    EQUAL(dies, 1);
    HSA(hsa_agent_get_info(gpu, (hsa_agent_info_t)0xA112, &uid)); // DRIVER_UID
    EQUAL(uid, 0);
    HSA(hsa_agent_get_info(gpu, (hsa_agent_info_t)0xA113, &nearest)); // NEAREST_CPU
    EQUAL(nearest.handle, cpu.handle);
    HSA(hsa_agent_get_info(gpu, (hsa_agent_info_t)0xA116, &limit)); // SCRATCH_LIMIT_MAX
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
    HSA(hsa_agent_get_info(gpu, (hsa_agent_info_t)0xA118, counters)); // CLOCK_COUNTERS
    CHECK(counters[0] && counters[1] && counters[2]);
    EQUAL(counters[3], frequency);
}

// No attribute may be refused: a client that cannot have one drops the device without a word.
static void check_attributes(void) {
    static const uint16_t more[] = {0xA000, 0xA001, 0xA002, 0xA003, 0xA004, 0xA005, 0xA006, 0xA007, 0xA008, 0xA009, 0xA00A,
                                    0xA00B, 0xA00C, 0xA00D, 0xA00E, 0xA00F, 0xA010, 0xA011, 0xA012, 0xA013, 0xA014, 0xA015,
                                    0xA016, 0xA107, 0xA108, 0xA109, 0xA10A, 0xA10B, 0xA10C, 0xA10D, 0xA10E, 0xA10F,
                                    0xA110, 0xA111, 0xA112, 0xA113, 0xA114, 0xA115, 0xA116, 0xA117, 0xA118};
    union {
        uint64_t aligned;
        uint8_t bytes[1024];
    } value;
    hsa_agent_t both[2] = {cpu, gpu};
    for (int a = 0; a < 2; a++) {
        for (int attribute = 0; attribute <= 24; attribute++)
            HSA(hsa_agent_get_info(both[a], (hsa_agent_info_t)attribute, &value));
        for (size_t i = 0; a == 1 && i < sizeof more / sizeof *more; i++)
            HSA(hsa_agent_get_info(both[a], (hsa_agent_info_t)more[i], &value));
    }
    REFUSED(hsa_agent_get_info(gpu, (hsa_agent_info_t)0x7777, &value));
    REFUSED(hsa_agent_get_info(gpu, HSA_AGENT_INFO_NAME, NULL));
    GIVES(HSA_STATUS_ERROR_INVALID_AGENT, hsa_agent_get_info((hsa_agent_t){0}, HSA_AGENT_INFO_NAME, &value));
    GIVES(HSA_STATUS_ERROR_INVALID_AGENT, hsa_agent_get_info((hsa_agent_t){12345}, HSA_AGENT_INFO_NAME, &value));
    int count = 0;
    REFUSED(hsa_iterate_agents(NULL, &count));
    HSA(hsa_iterate_agents(count_agent, &count));
    CHECK(count >= 2);
}

static void check_isa(void) {
    hsa_isa_t isa = {0}, named = {0};
    HSA(hsa_agent_iterate_isas(gpu, take_isa, &isa));
    CHECK(isa.handle);
    uint32_t length = 0;
    char name[256] = "", agent[64] = "";
    HSA(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length));
    CHECK(length > 10 && length < sizeof name);
    HSA(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name));
    HSA(hsa_agent_get_info(gpu, HSA_AGENT_INFO_NAME, agent));
    char want[256];
    snprintf(want, sizeof want, "amdgcn-amd-amdhsa--%s%s", agent, its_chip(agent)->features);
    CHECK(strcmp(name, want) == 0);
    HSA(hsa_isa_from_name(name, &named));
    EQUAL(named.handle, isa.handle);
    GIVES(HSA_STATUS_ERROR_INVALID_ISA_NAME, hsa_isa_from_name("amdgcn-amd-amdhsa--gfx0", &named));
    REFUSED(hsa_isa_from_name(NULL, &named));
    bool compatible = false;
    HSA(hsa_isa_compatible(isa, isa, &compatible));
    CHECK(compatible);
    GIVES(HSA_STATUS_ERROR_INVALID_ISA, hsa_isa_get_info_alt((hsa_isa_t){999}, HSA_ISA_INFO_NAME_LENGTH, &length));
    REFUSED(hsa_agent_iterate_isas(gpu, NULL, &isa));
    GIVES(HSA_STATUS_ERROR_INVALID_AGENT, hsa_agent_iterate_isas((hsa_agent_t){0}, take_isa, &isa));
}

static hsa_status_t check_pool(hsa_amd_memory_pool_t pool, void *data) {
    hsa_amd_segment_t segment = (hsa_amd_segment_t)77;
    uint32_t flags = 77;
    size_t size = 0, granule = 0, alignment = 0, most = 0;
    bool allowed = false, by_all;
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size));
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed));
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, &granule));
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT, &alignment));
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL, &by_all));
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE, &most));
    REFUSED(hsa_amd_memory_pool_get_info(pool, (hsa_amd_memory_pool_info_t)0x7777, &size));
    REFUSED(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, NULL));
    if (segment == HSA_AMD_SEGMENT_GROUP) {
        EQUAL(size, 65536);
        CHECK(!allowed && flags == 0);
    } else {
        EQUAL(segment, HSA_AMD_SEGMENT_GLOBAL);
        CHECK(allowed && granule >= 4096 && alignment >= 4096 && most > 0 && most <= size && size >= 1ul << 30);
        CHECK(!(flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) != !(flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED));
        void *memory = NULL;
        GIVES(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_memory_pool_allocate(pool, (size_t)1 << 50, 0, &memory));
    }
    hsa_amd_memory_pool_access_t access;
    HSA(hsa_amd_agent_memory_pool_get_info(gpu, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access));
    CHECK(access <= HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
    ++*(int *)data;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t check_region(hsa_region_t region, void *data) {
    hsa_region_segment_t segment;
    size_t size;
    HSA(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
    HSA(hsa_region_get_info(region, HSA_REGION_INFO_SIZE, &size));
    CHECK(size > 0);
    REFUSED(hsa_region_get_info(region, HSA_REGION_INFO_SIZE, NULL));
    bool allowed = false;
    HSA(hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &allowed));
    if (segment == HSA_REGION_SEGMENT_GLOBAL && allowed) {
        char *memory = NULL;
        HSA(hsa_memory_allocate(region, 1000, (void **)&memory));
        memset(memory, 1, 1000);
        HSA(hsa_memory_free(memory));
        REFUSED(hsa_memory_allocate(region, 0, (void **)&memory));
        REFUSED(hsa_memory_allocate(region, 1000, NULL));
    }
    ++*(int *)data;
    return HSA_STATUS_SUCCESS;
}

int main(void) {
    find_machine();
    check_agent();
    check_new_attributes();
    check_attributes();
    check_isa();
    int count = 0;
    HSA(hsa_amd_agent_iterate_memory_pools(gpu, check_pool, &count));
    CHECK(count >= 2);
    HSA(hsa_amd_agent_iterate_memory_pools(cpu, check_pool, &count));
    CHECK(count >= 4);
    REFUSED(hsa_amd_agent_iterate_memory_pools(gpu, NULL, &count));
    count = 0;
    HSA(hsa_agent_iterate_regions(gpu, check_region, &count));
    CHECK(count >= 2);
    REFUSED(hsa_agent_iterate_regions(gpu, NULL, &count));
    GIVES(HSA_STATUS_ERROR_INVALID_AGENT, hsa_agent_iterate_regions((hsa_agent_t){0}, check_region, &count));
    HSA(hsa_shut_down());
    puts("ok agents");
    return 0;
}
