//! Numbers of attributes, by the headers' names without their prefix: `hsa.h`, `hsa_ext_amd.h`, `hsa_ext_image.h`.

/// `hsa_agent_info_t` and its extensions `hsa_amd_agent_info_t`, `hsa_ext_agent_info_t`.
pub mod agent {
    pub const NAME: u32 = 0;
    pub const VENDOR_NAME: u32 = 1;
    pub const FEATURE: u32 = 2;
    pub const MACHINE_MODEL: u32 = 3;
    pub const PROFILE: u32 = 4;
    pub const DEFAULT_FLOAT_ROUNDING_MODE: u32 = 5;
    pub const WAVEFRONT_SIZE: u32 = 6;
    pub const WORKGROUP_MAX_DIM: u32 = 7;
    pub const WORKGROUP_MAX_SIZE: u32 = 8;
    pub const GRID_MAX_DIM: u32 = 9;
    pub const GRID_MAX_SIZE: u32 = 10;
    pub const FBARRIER_MAX_SIZE: u32 = 11;
    pub const QUEUES_MAX: u32 = 12;
    pub const QUEUE_MIN_SIZE: u32 = 13;
    pub const QUEUE_MAX_SIZE: u32 = 14;
    pub const QUEUE_TYPE: u32 = 15;
    pub const NODE: u32 = 16;
    pub const DEVICE: u32 = 17;
    pub const CACHE_SIZE: u32 = 18;
    pub const ISA: u32 = 19;
    pub const EXTENSIONS: u32 = 20;
    pub const VERSION_MAJOR: u32 = 21;
    pub const VERSION_MINOR: u32 = 22;
    pub const BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES: u32 = 23;
    pub const FAST_F16_OPERATION: u32 = 24;

    pub const IMAGE_1D_MAX_ELEMENTS: u32 = 0x3000;
    pub const IMAGE_1DA_MAX_ELEMENTS: u32 = 0x3001;
    pub const IMAGE_1DB_MAX_ELEMENTS: u32 = 0x3002;
    pub const IMAGE_2D_MAX_ELEMENTS: u32 = 0x3003;
    pub const IMAGE_2DADEPTH_MAX_ELEMENTS: u32 = 0x3006;
    pub const IMAGE_3D_MAX_ELEMENTS: u32 = 0x3007;
    pub const IMAGE_ARRAY_MAX_LAYERS: u32 = 0x3008;
    pub const MAX_IMAGE_RD_HANDLES: u32 = 0x3009;
    pub const MAX_IMAGE_RORW_HANDLES: u32 = 0x300A;
    pub const MAX_SAMPLER_HANDLERS: u32 = 0x300B;
    pub const IMAGE_LINEAR_ROW_PITCH_ALIGNMENT: u32 = 0x300C;

    pub const CHIP_ID: u32 = 0xA000;
    pub const CACHELINE_SIZE: u32 = 0xA001;
    pub const COMPUTE_UNIT_COUNT: u32 = 0xA002;
    pub const MAX_CLOCK_FREQUENCY: u32 = 0xA003;
    pub const DRIVER_NODE_ID: u32 = 0xA004;
    pub const MAX_ADDRESS_WATCH_POINTS: u32 = 0xA005;
    pub const BDFID: u32 = 0xA006;
    pub const MEMORY_WIDTH: u32 = 0xA007;
    pub const MEMORY_MAX_FREQUENCY: u32 = 0xA008;
    pub const PRODUCT_NAME: u32 = 0xA009;
    pub const MAX_WAVES_PER_CU: u32 = 0xA00A;
    pub const NUM_SIMDS_PER_CU: u32 = 0xA00B;
    pub const NUM_SHADER_ENGINES: u32 = 0xA00C;
    pub const NUM_SHADER_ARRAYS_PER_SE: u32 = 0xA00D;
    pub const HDP_FLUSH: u32 = 0xA00E;
    pub const DOMAIN: u32 = 0xA00F;
    pub const COOPERATIVE_QUEUES: u32 = 0xA010;
    pub const UUID: u32 = 0xA011;
    pub const ASIC_REVISION: u32 = 0xA012;
    pub const SVM_DIRECT_HOST_ACCESS: u32 = 0xA013;
    pub const COOPERATIVE_COMPUTE_UNIT_COUNT: u32 = 0xA014;
    pub const MEMORY_AVAIL: u32 = 0xA015;
    pub const TIMESTAMP_FREQUENCY: u32 = 0xA016;
    pub const ASIC_FAMILY_ID: u32 = 0xA107;
    pub const UCODE_VERSION: u32 = 0xA108;
    pub const SDMA_UCODE_VERSION: u32 = 0xA109;
    pub const NUM_SDMA_ENG: u32 = 0xA10A;
    pub const NUM_SDMA_XGMI_ENG: u32 = 0xA10B;
    pub const IOMMU_SUPPORT: u32 = 0xA110;
    pub const NUM_XCC: u32 = 0xA111;
    pub const DRIVER_UID: u32 = 0xA112;
    pub const NEAREST_CPU: u32 = 0xA113;
    pub const MEMORY_PROPERTIES: u32 = 0xA114;
    pub const AQL_EXTENSIONS: u32 = 0xA115;
    pub const SCRATCH_LIMIT_MAX: u32 = 0xA116;
    pub const SCRATCH_LIMIT_CURRENT: u32 = 0xA117;
    pub const CLOCK_COUNTERS: u32 = 0xA118;
}

/// `hsa_isa_info_t`.
pub mod isa {
    pub const NAME_LENGTH: u32 = 0;
    pub const NAME: u32 = 1;
    pub const CALL_CONVENTION_COUNT: u32 = 2;
    pub const CALL_CONVENTION_INFO_WAVEFRONT_SIZE: u32 = 3;
    pub const CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT: u32 = 4;
    pub const MACHINE_MODELS: u32 = 5;
    pub const PROFILES: u32 = 6;
    pub const DEFAULT_FLOAT_ROUNDING_MODES: u32 = 7;
    pub const BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES: u32 = 8;
    pub const FAST_F16_OPERATION: u32 = 9;
    pub const WORKGROUP_MAX_DIM: u32 = 12;
    pub const WORKGROUP_MAX_SIZE: u32 = 13;
    pub const GRID_MAX_DIM: u32 = 14;
    pub const GRID_MAX_SIZE: u32 = 16;
    pub const FBARRIER_MAX_SIZE: u32 = 17;
}
