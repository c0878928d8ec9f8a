//! Numbers of GCN hardware that more than one crate needs: codes of registers, sizes, apertures. Numbers within an encoding are
//! in the tables and layouts.

use crate::generation::{Chip, Generation};

/// Scalar registers by their codes (Vega ISA, 5.2 "Scalar ALU operands").
pub mod sreg {
    /// The low half of XNACK_MASK, on gfx8 and gfx9.
    pub const XNACK_MASK: u8 = 104;
    /// The low half of VCC.
    pub const VCC: u8 = 106;
    /// The low half of the trap handler's code address, before gfx9.
    pub const TBA: u8 = 108;
    /// The low half of the trap handler's memory address, before gfx9.
    pub const TMA: u8 = 110;
    /// The memory register M0.
    pub const M0: u8 = 124;
    /// The code between M0 and EXEC, which names no register before gfx10.
    pub const RESERVED: u8 = 125;
    /// The low half of EXEC.
    pub const EXEC: u8 = 126;
}

/// Returns the number of scalar registers without a name, from s0 on, that instructions can write (LLVM,
/// `getAddressableNumSGPRs`).
pub const fn general_sgprs(generation: Generation) -> u8 {
    match generation {
        Generation::Gfx6 | Generation::Gfx7 => 104,
        Generation::Gfx8 | Generation::Gfx9 => 102,
    }
}

/// Returns the code of FLAT_SCRATCH's low half, from gfx7 on (CLRX wiki, "GCN operands"): the first after the registers without a
/// name.
pub const fn flat_scratch(generation: Generation) -> Option<u8> {
    match generation {
        Generation::Gfx6 => None,
        Generation::Gfx7 | Generation::Gfx8 | Generation::Gfx9 => Some(general_sgprs(generation)),
    }
}

/// Returns the code of ttmp0 among scalar registers. The trap temporaries end before M0.
pub const fn first_ttmp(generation: Generation) -> u8 {
    match generation {
        Generation::Gfx9 => 108,
        _ => 112,
    }
}

/// Hardware registers by their numbers in `hwreg()` (Vega ISA, 5, table
/// "Hardware register values"; LLVM, "AMDGPU operand syntax").
pub mod hwreg {
    /// Rounding, denormals, exception enables, VGPR indexing.
    pub const MODE: u8 = 1;
    /// SCC, EXECZ, VCCZ, priority and other state of a wave.
    pub const STATUS: u8 = 2;
    /// The exceptions that have occurred.
    pub const TRAPSTS: u8 = 3;
    /// The place on the chip where the wave runs.
    pub const HW_ID: u8 = 4;
    /// The base and size of the wave's registers.
    pub const GPR_ALLOC: u8 = 5;
    /// The base and size of the wave's LDS.
    pub const LDS_ALLOC: u8 = 6;
    /// The wait counters of the wave.
    pub const IB_STS: u8 = 7;
    /// Bits 63:48 of the apertures, from gfx9 on.
    pub const SH_MEM_BASES: u8 = 15;
    /// The low half of the trap handler's code address, from gfx9 on.
    pub const TBA_LO: u8 = 16;
    /// The high half of the trap handler's code address.
    pub const TBA_HI: u8 = 17;
    /// The low half of the trap handler's memory address.
    pub const TMA_LO: u8 = 18;
    /// The high half of the trap handler's memory address.
    pub const TMA_HI: u8 = 19;
    /// The die of the chip where the wave runs, from gfx942 on.
    pub const XCC_ID: u8 = 20;
    /// No register of a chip: the accumulation registers that the wave lacks of 256, in fours. S_GETREG reads 0.
    pub const MISSING_ACC: u8 = 62;
}

/// The address of LDS among flat addresses (gfx9): bits 63:48 are 1. The driver chooses it (`SH_MEM_BASES`); this is the choice
/// of Linux's driver.
pub const SHARED_BASE: u64 = 0x0001_0000_0000_0000;
/// The address of scratch among flat addresses (gfx9): bits 63:48 are 2.
pub const PRIVATE_BASE: u64 = 0x0002_0000_0000_0000;
/// The distance from the first to the last byte of an aperture (Vega ISA, 9
/// "Flat memory instructions").
pub const APERTURE_LIMIT: u64 = 0xffff_ffff;

/// The number of SIMDs of a compute unit (AMD's GCN white paper).
pub const SIMDS_PER_UNIT: u32 = 4;
/// Returns the most waves on a SIMD (LLVM, `getMaxWavesPerEU`).
pub const fn waves_per_simd(chip: Chip) -> u32 {
    if unites_vector_files(chip) { 8 } else { 10 }
}
/// Returns the most waves on a compute unit.
pub const fn waves_per_unit(chip: Chip) -> u32 {
    SIMDS_PER_UNIT * waves_per_simd(chip)
}
/// The most work-groups of more than one wave on a compute unit.
pub const GROUPS_PER_UNIT: u32 = 16;
/// The most work-items that one work-group may have.
pub const MAX_GROUP_SIZE: u32 = 1024;

/// Whether VGPRs and accumulation VGPRs of a wave are parts of one file, from CDNA 2 on. Before, CDNA has two files of the same
/// size (LLVM, `FeatureGFX90AInsts`).
pub const fn unites_vector_files(chip: Chip) -> bool {
    matches!(chip, Chip::Gfx90a | Chip::Gfx942 | Chip::Gfx950)
}

/// Whether a wave starts with the ids of its work-items in one register: X in bits 9:0, Y in 19:10, Z in 29:20 (LLVM,
/// `FeaturePackedTID`).
pub const fn packs_work_item_ids(chip: Chip) -> bool {
    unites_vector_files(chip)
}

/// Whether FLAT_SCRATCH has the address of a wave's scratch at its start, in place of values in other registers (LLVM,
/// `FeatureArchitectedFlatScratch`).
pub const fn has_architected_flat_scratch(chip: Chip) -> bool {
    matches!(chip, Chip::Gfx942 | Chip::Gfx950)
}

/// Returns the VGPRs of a SIMD for each lane, which its waves share (AMD's GCN white paper; LLVM, `getTotalNumVGPRs`).
pub const fn vgprs_per_lane(chip: Chip) -> u32 {
    if unites_vector_files(chip) { 512 } else { 256 }
}
/// VGPRs are allocated in blocks of this many (Vega ISA, 3.6 "VGPR Allocation and Alignment").
pub const VGPR_GRANULE: u32 = 4;
/// Returns the blocks in which the vector registers of a wave are allocated (LLVM, `getVGPRAllocGranule`).
pub const fn vgpr_granule(chip: Chip) -> u32 {
    if unites_vector_files(chip) {
        2 * VGPR_GRANULE
    } else {
        VGPR_GRANULE
    }
}

/// LDS of a compute unit in bytes (Vega ISA, 11 "Data share operations").
pub const LDS_BYTES: u32 = 64 << 10;

/// Returns the most LDS that one work-group can have, in bytes (LLVM, `FeatureLocalMemorySize32768`,
/// `FeatureLocalMemorySize65536`).
pub const fn lds_of_group(generation: Generation) -> u32 {
    match generation {
        Generation::Gfx6 => LDS_BYTES / 2,
        Generation::Gfx7 | Generation::Gfx8 | Generation::Gfx9 => LDS_BYTES,
    }
}

/// Returns the allocation granule of LDS in bytes: 64 dwords on gfx6, 128 from gfx7 on (Vega ISA, 3.6 "LDS Allocation and
/// Clamping"; Mesa, `lds_alloc_granularity`).
pub const fn lds_granule(generation: Generation) -> u32 {
    match generation {
        Generation::Gfx6 => 256,
        Generation::Gfx7 | Generation::Gfx8 | Generation::Gfx9 => 512,
    }
}

/// The size of the global data share in bytes (Vega ISA, 11 "Data share operations").
pub const GDS_BYTES: u64 = 64 << 10;

/// Returns the SGPRs that the waves of a SIMD share, and their allocation granule (LLVM, `getTotalNumSGPRs`,
/// `getSGPRAllocGranule`).
pub const fn sgprs_per_simd(generation: Generation) -> (u32, u32) {
    match generation {
        Generation::Gfx6 | Generation::Gfx7 => (512, 8),
        Generation::Gfx8 | Generation::Gfx9 => (800, 16),
    }
}
