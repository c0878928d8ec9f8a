//! Numbers of GCN hardware that more than one crate needs: codes of registers,
//! sizes, apertures. What is numbered inside an encoding stands in the tables
//! and layouts.

use crate::generation::Generation;

/// Scalar registers by their codes (Vega ISA, 5.2 "Scalar ALU operands").
pub mod sreg {
    /// XNACK_MASK, low half, on gfx8 and gfx9.
    pub const XNACK_MASK: u8 = 104;
    /// VCC, low half.
    pub const VCC: u8 = 106;
    /// The trap handler's code, low half, before gfx9.
    pub const TBA: u8 = 108;
    /// The trap handler's memory, low half, before gfx9.
    pub const TMA: u8 = 110;
    /// M0.
    pub const M0: u8 = 124;
    /// The code between M0 and EXEC, which names no register before gfx10.
    pub const RESERVED: u8 = 125;
    /// EXEC, low half.
    pub const EXEC: u8 = 126;
}

/// Scalar registers without a name, from s0 on, that instructions can write
/// (LLVM, `getAddressableNumSGPRs`).
pub const fn general_sgprs(generation: Generation) -> u8 {
    match generation {
        Generation::Gfx6 | Generation::Gfx7 => 104,
        Generation::Gfx8 | Generation::Gfx9 => 102,
    }
}

/// The code of FLAT_SCRATCH's low half, from gfx7 on (CLRX wiki, "GCN
/// operands"): the first behind the registers without a name.
pub const fn flat_scratch(generation: Generation) -> Option<u8> {
    match generation {
        Generation::Gfx6 => None,
        Generation::Gfx7 | Generation::Gfx8 | Generation::Gfx9 => Some(general_sgprs(generation)),
    }
}

/// The code of ttmp0 among scalar registers; the trap temporaries end before M0.
pub const fn first_ttmp(generation: Generation) -> u8 {
    match generation {
        Generation::Gfx9 => 108,
        _ => 112,
    }
}

/// Hardware registers by their numbers in `hwreg()` (Vega ISA, 5, table
/// "Hardware register values"; LLVM, "AMDGPU operand syntax").
pub mod hwreg {
    /// Rounding, denormals, exceptions, VGPR indexing.
    pub const MODE: u8 = 1;
    /// SCC, EXECZ, VCCZ, priority and what else is true of a wave.
    pub const STATUS: u8 = 2;
    /// Exceptions that happened.
    pub const TRAPSTS: u8 = 3;
    /// Where on the chip the wave runs.
    pub const HW_ID: u8 = 4;
    /// Base and size of its registers.
    pub const GPR_ALLOC: u8 = 5;
    /// Base and size of its LDS.
    pub const LDS_ALLOC: u8 = 6;
    /// What it waits for.
    pub const IB_STS: u8 = 7;
    /// Bits 63:48 of the apertures, from gfx9 on.
    pub const SH_MEM_BASES: u8 = 15;
    /// The trap handler's code, low half, from gfx9 on.
    pub const TBA_LO: u8 = 16;
    /// The trap handler's code, high half.
    pub const TBA_HI: u8 = 17;
    /// The trap handler's memory, low half.
    pub const TMA_LO: u8 = 18;
    /// The trap handler's memory, high half.
    pub const TMA_HI: u8 = 19;
}

/// Where the LDS appears in flat addresses (gfx9): bits 63:48 are 1. The driver
/// chooses the place (`SH_MEM_BASES`); this is what Linux's writes.
pub const SHARED_BASE: u64 = 0x0001_0000_0000_0000;
/// Where scratch appears in flat addresses (gfx9): bits 63:48 are 2.
pub const PRIVATE_BASE: u64 = 0x0002_0000_0000_0000;
/// The distance from the first to the last byte of an aperture (Vega ISA, 9
/// "Flat memory instructions").
pub const APERTURE_LIMIT: u64 = 0xffff_ffff;

/// SIMDs of a compute unit (AMD's GCN white paper).
pub const SIMDS_PER_UNIT: u32 = 4;
/// Waves that a SIMD has room for (LLVM, `getMaxWavesPerEU`).
pub const WAVES_PER_SIMD: u32 = 10;
/// Waves that a compute unit has room for.
pub const WAVES_PER_UNIT: u32 = SIMDS_PER_UNIT * WAVES_PER_SIMD;
/// Work-groups of more than one wave that a compute unit has room for.
pub const GROUPS_PER_UNIT: u32 = 16;
/// The most work-items that one work-group may have.
pub const MAX_GROUP_SIZE: u32 = 1024;

/// VGPRs that the waves of a SIMD share, for each lane (AMD's GCN white paper).
pub const VGPRS_PER_LANE: u32 = 256;
/// VGPRs come in blocks of this many (Vega ISA, 3.6 "VGPR Allocation and
/// Alignment").
pub const VGPR_GRANULE: u32 = 4;

/// LDS of a compute unit in bytes (Vega ISA, 11 "Data share operations").
pub const LDS_BYTES: u32 = 64 << 10;

/// The most LDS that one work-group can have, in bytes (LLVM,
/// `FeatureLocalMemorySize32768`, `FeatureLocalMemorySize65536`).
pub const fn lds_of_group(generation: Generation) -> u32 {
    match generation {
        Generation::Gfx6 => LDS_BYTES / 2,
        Generation::Gfx7 | Generation::Gfx8 | Generation::Gfx9 => LDS_BYTES,
    }
}

/// LDS comes in blocks of this many bytes: 64 dwords on gfx6, 128 since (Vega
/// ISA, 3.6 "LDS Allocation and Clamping"; Mesa, `lds_alloc_granularity`).
pub const fn lds_granule(generation: Generation) -> u32 {
    match generation {
        Generation::Gfx6 => 256,
        Generation::Gfx7 | Generation::Gfx8 | Generation::Gfx9 => 512,
    }
}

/// The global data share in bytes (Vega ISA, 11 "Data share operations").
pub const GDS_BYTES: u64 = 64 << 10;

/// SGPRs that the waves of a SIMD share, and the block that they come in (LLVM,
/// `getTotalNumSGPRs`, `getSGPRAllocGranule`).
pub const fn sgprs_per_simd(generation: Generation) -> (u32, u32) {
    match generation {
        Generation::Gfx6 | Generation::Gfx7 => (512, 8),
        Generation::Gfx8 | Generation::Gfx9 => (800, 16),
    }
}
