//! Numbers of attributes, by the headers' names without their prefix: `hsa.h`, `hsa_ext_amd.h`, `hsa_ext_image.h`.

/// `hsa_agent_info_t` and its extensions `hsa_amd_agent_info_t`, `hsa_ext_agent_info_t`.
pub(crate) mod agent {
    pub(crate) const NAME: u32 = 0;
    pub(crate) const VENDOR_NAME: u32 = 1;
    pub(crate) const FEATURE: u32 = 2;
    pub(crate) const MACHINE_MODEL: u32 = 3;
    pub(crate) const PROFILE: u32 = 4;
    pub(crate) const DEFAULT_FLOAT_ROUNDING_MODE: u32 = 5;
    pub(crate) const WAVEFRONT_SIZE: u32 = 6;
    pub(crate) const WORKGROUP_MAX_DIM: u32 = 7;
    pub(crate) const WORKGROUP_MAX_SIZE: u32 = 8;
    pub(crate) const GRID_MAX_DIM: u32 = 9;
    pub(crate) const GRID_MAX_SIZE: u32 = 10;
    pub(crate) const FBARRIER_MAX_SIZE: u32 = 11;
    pub(crate) const QUEUES_MAX: u32 = 12;
    pub(crate) const QUEUE_MIN_SIZE: u32 = 13;
    pub(crate) const QUEUE_MAX_SIZE: u32 = 14;
    pub(crate) const QUEUE_TYPE: u32 = 15;
    pub(crate) const NODE: u32 = 16;
    pub(crate) const DEVICE: u32 = 17;
    pub(crate) const CACHE_SIZE: u32 = 18;
    pub(crate) const ISA: u32 = 19;
    pub(crate) const EXTENSIONS: u32 = 20;
    pub(crate) const VERSION_MAJOR: u32 = 21;
    pub(crate) const VERSION_MINOR: u32 = 22;
    pub(crate) const BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES: u32 = 23;
    pub(crate) const FAST_F16_OPERATION: u32 = 24;

    pub(crate) const IMAGE_1D_MAX_ELEMENTS: u32 = 0x3000;
    pub(crate) const IMAGE_1DA_MAX_ELEMENTS: u32 = 0x3001;
    pub(crate) const IMAGE_1DB_MAX_ELEMENTS: u32 = 0x3002;
    pub(crate) const IMAGE_2D_MAX_ELEMENTS: u32 = 0x3003;
    pub(crate) const IMAGE_2DADEPTH_MAX_ELEMENTS: u32 = 0x3006;
    pub(crate) const IMAGE_3D_MAX_ELEMENTS: u32 = 0x3007;
    pub(crate) const IMAGE_ARRAY_MAX_LAYERS: u32 = 0x3008;
    pub(crate) const MAX_IMAGE_RD_HANDLES: u32 = 0x3009;
    pub(crate) const MAX_IMAGE_RORW_HANDLES: u32 = 0x300A;
    pub(crate) const MAX_SAMPLER_HANDLERS: u32 = 0x300B;
    pub(crate) const IMAGE_LINEAR_ROW_PITCH_ALIGNMENT: u32 = 0x300C;

    pub(crate) const CHIP_ID: u32 = 0xA000;
    pub(crate) const CACHELINE_SIZE: u32 = 0xA001;
    pub(crate) const COMPUTE_UNIT_COUNT: u32 = 0xA002;
    pub(crate) const MAX_CLOCK_FREQUENCY: u32 = 0xA003;
    pub(crate) const DRIVER_NODE_ID: u32 = 0xA004;
    pub(crate) const MAX_ADDRESS_WATCH_POINTS: u32 = 0xA005;
    pub(crate) const BDFID: u32 = 0xA006;
    pub(crate) const MEMORY_WIDTH: u32 = 0xA007;
    pub(crate) const MEMORY_MAX_FREQUENCY: u32 = 0xA008;
    pub(crate) const PRODUCT_NAME: u32 = 0xA009;
    pub(crate) const MAX_WAVES_PER_CU: u32 = 0xA00A;
    pub(crate) const NUM_SIMDS_PER_CU: u32 = 0xA00B;
    pub(crate) const NUM_SHADER_ENGINES: u32 = 0xA00C;
    pub(crate) const NUM_SHADER_ARRAYS_PER_SE: u32 = 0xA00D;
    pub(crate) const HDP_FLUSH: u32 = 0xA00E;
    pub(crate) const DOMAIN: u32 = 0xA00F;
    pub(crate) const COOPERATIVE_QUEUES: u32 = 0xA010;
    pub(crate) const UUID: u32 = 0xA011;
    pub(crate) const ASIC_REVISION: u32 = 0xA012;
    pub(crate) const SVM_DIRECT_HOST_ACCESS: u32 = 0xA013;
    pub(crate) const COOPERATIVE_COMPUTE_UNIT_COUNT: u32 = 0xA014;
    pub(crate) const MEMORY_AVAIL: u32 = 0xA015;
    pub(crate) const TIMESTAMP_FREQUENCY: u32 = 0xA016;
    pub(crate) const ASIC_FAMILY_ID: u32 = 0xA107;
    pub(crate) const UCODE_VERSION: u32 = 0xA108;
    pub(crate) const SDMA_UCODE_VERSION: u32 = 0xA109;
    pub(crate) const NUM_SDMA_ENG: u32 = 0xA10A;
    pub(crate) const NUM_SDMA_XGMI_ENG: u32 = 0xA10B;
    pub(crate) const IOMMU_SUPPORT: u32 = 0xA110;
    pub(crate) const NUM_XCC: u32 = 0xA111;
    pub(crate) const DRIVER_UID: u32 = 0xA112;
    pub(crate) const NEAREST_CPU: u32 = 0xA113;
    pub(crate) const MEMORY_PROPERTIES: u32 = 0xA114;
    pub(crate) const AQL_EXTENSIONS: u32 = 0xA115;
    pub(crate) const SCRATCH_LIMIT_MAX: u32 = 0xA116;
    pub(crate) const SCRATCH_LIMIT_CURRENT: u32 = 0xA117;
    pub(crate) const CLOCK_COUNTERS: u32 = 0xA118;
}

/// `hsa_isa_info_t`.
pub(crate) mod isa {
    pub(crate) const NAME_LENGTH: u32 = 0;
    pub(crate) const NAME: u32 = 1;
    pub(crate) const CALL_CONVENTION_COUNT: u32 = 2;
    pub(crate) const CALL_CONVENTION_INFO_WAVEFRONT_SIZE: u32 = 3;
    pub(crate) const CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT: u32 = 4;
    pub(crate) const MACHINE_MODELS: u32 = 5;
    pub(crate) const PROFILES: u32 = 6;
    pub(crate) const DEFAULT_FLOAT_ROUNDING_MODES: u32 = 7;
    pub(crate) const BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES: u32 = 8;
    pub(crate) const FAST_F16_OPERATION: u32 = 9;
    pub(crate) const WORKGROUP_MAX_DIM: u32 = 12;
    pub(crate) const WORKGROUP_MAX_SIZE: u32 = 13;
    pub(crate) const GRID_MAX_DIM: u32 = 14;
    pub(crate) const GRID_MAX_SIZE: u32 = 16;
    pub(crate) const FBARRIER_MAX_SIZE: u32 = 17;
}
