//! Rules: differences between the generations in the meaning of instructions, as named facts.
//!
//! Only this file of the crate tests the generation of a chip: the arms and the operand layer use facts by their names. The
//! instructions and fields that a chip has are in the table and the layouts of `wavetank_gcn`.

use wavetank_gcn::numbers::{first_ttmp, general_sgprs};
use wavetank_gcn::{Chip, Generation, WaitCounter};
use wavetank_ir::{Dialect, Tiling};
use wavetank_matrix::Model;

/// The facts of a chip that the meaning of its instructions depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    /// The unit in bytes of the immediate or literal offset of scalar memory: 4 on gfx6 and gfx7 (CLRX wiki, "GCN ISA SMRD"), 1
    /// from gfx8 on (Vega ISA, 7.1 SMEM). An offset in a register is in bytes everywhere.
    pub scalar_offset_unit: i64,
    /// Whether the immediate offset of scalar memory is signed, as on gfx9 (Vega ISA, 12.6 SMEM). Only accesses without a
    /// descriptor use the sign: docs/reference/errata.md, "7.1".
    pub signed_scalar_offset: bool,
    /// Whether source codes 235 to 238 are the apertures, as on gfx9 (Vega ISA, 5.2). Before, code reads the apertures from its
    /// queue, and the codes are reserved (LLVM, `FeatureApertureRegs`).
    pub apertures: bool,
    /// Whether source code 248 is 1/(2π), as from gfx8 on (Vega ISA, 5.2; LLVM,
    /// `FeatureInv2PiInlineImm`).
    pub inverse_two_pi: bool,
    /// Whether some 16-bit results keep the other half of the register, as on gfx9 (Vega ISA, 12.10 V_MAD_F16). On gfx8 all clear
    /// it, as V_MAD_LEGACY_F16 still does.
    pub halves_kept: bool,
    /// Whether a register has two 16-bit components of buffers and images, as on gfx810 and gfx9 (Vega ISA, 8.1 "D16
    /// Instructions"). The other chips of gfx8 use the low half of one register for each (LLVM, `FeatureUnpackedD16VMem`).
    pub halves_packed: bool,
    /// Whether a load of 16 bits into half of a register clears the other half, as on chips whose vector registers have ECC: LLVM
    /// does not rely on the other half there (`d16PreservesUnusedBits`), and rocBLAS's kernels rely on zeros (Tensile,
    /// `HasEccHalf`). gfx906 is emulated without ECC.
    pub loads_clear_halves: bool,
    /// The layout of buffer descriptors, and the accesses that count records. The manual's own sentence on that has bytes and
    /// records swapped (docs/reference/errata.md). Kernels of rocBLAS rely on SOFFSET in the range check of CDNA (Tensile, "Precise
    /// bounds check").
    pub buffer_dialect: Dialect,
    /// The layout of image resources (CLRX wiki, "GCN Memory Handling"; Vega ISA, 8.2.5).
    pub image_tiling: Tiling,
    /// Whether M0 bounds the LDS, and accesses to it ignore the low bits of addresses, as before gfx9 (GCN wiki, "DS
    /// instructions": its note on M0, and each address there; LLVM, `ldsRequiresM0Init`, `FeatureUnalignedDSAccess`).
    pub m0_limits_lds: bool,
    /// Whether an address in LDS and the instruction's offset are added modulo 2^32, as from gfx7 on. Before, the sum with an
    /// address beyond the LDS is beyond it too (LLVM, `hasUsableDSOffset`).
    pub lds_sums_wrap: bool,
    /// Whether the offset of a load to LDS applies to LDS too, as on gfx9 (Vega ISA, 8.1 "Memory Buffer Load to LDS"). Before,
    /// only M0 and the lane do (CLRX wiki, "GCN memory handling").
    pub offset_counts_in_lds: bool,
    /// Whether the minimum, maximum and median of floats flush denormals by MODE, as on gfx9 (LLVM, `supportsMinMaxDenormModes`).
    /// Before, they choose an operand unchanged.
    pub choice_flushes: bool,
    /// Whether sine and cosine are 0 beyond 256 turns, as before gfx9 (docs/reference/errata.md, "V_SIN_F32").
    pub turns_end: bool,
    /// Whether conversions from and to halves flush denormals by MODE, as from gfx8 on. Before, they keep denormals (CLRX wiki,
    /// V_CVT_F16_F32).
    pub halves_follow_mode: bool,
    /// Whether conversions to halves round by the mode of singles, as on gfx6 (CLRX wiki, V_CVT_F16_F32).
    pub halves_round_as_singles: bool,
    /// Whether V_FREXP_* leave infinities and NaNs unchanged. On gfx6 their exponent is -1, and the mantissa of an infinity is a
    /// NaN (CLRX wiki, V_FREXP_EXP_I32_F32; LLVM, `hasFractBug`).
    pub infinities_have_parts: bool,
    /// Whether MODE has GPR_IDX_EN, as from gfx8 on (LLVM,
    /// `FeatureVGPRIndexMode`).
    pub vgpr_indexing: bool,
    /// Whether DS_SWIZZLE rotates and reverses bits, as from gfx8 on (Mesa, "ACO README-ISA", though LLVM writes these modes for
    /// gfx9 only). The GCN wiki's "DS instructions" has quads and bit masks for all.
    pub swizzle_rotates: bool,
    /// Whether bit 23 of MODE is FP16_OVFL, as on gfx9 (Vega ISA, 3.5 "Mode register"). Before, the bit has no meaning.
    pub fp16_ovfl: bool,
    /// Whether atomic sums of single precision in memory flush denormals, as before gfx942 (LLVM,
    /// `FeatureMemoryAtomicFAddF32DenormalSupport`).
    pub sums_in_memory_flush: bool,
    /// Whether a SCRATCH instruction can have an offset in a VGPR and one in an SGPR, as from gfx942 on (LLVM,
    /// `FeatureFlatScratchSVSMode`).
    pub scratch_offsets_add: bool,
    /// The matrix unit of the chip.
    pub matrix_model: Option<Model>,
    /// The number of scalar registers without a name, of which a wave has as many as it requests. A wave always has those above.
    pub general_sgprs: u8,
    /// The bits of MODE: gfx9 has two exceptions, FP16_OVFL and bits 26:24 more than gfx8 (Vega ISA, 3.5 "Mode register"), which
    /// has GPR_IDX_EN more than earlier chips (CLRX wiki, "GCN state"). The other bits stay 0.
    pub mode_bits: u32,
    /// The code of TTMP0 among scalar registers (Vega ISA, 5.2; CLRX wiki, "GCN
    /// operands").
    pub first_ttmp: u8,
    /// Whether TBA and TMA are scalar registers before TTMP0, as before gfx9 (CLRX wiki, "GCN operands"). On gfx9 they are
    /// hardware registers only.
    pub trap_addresses_are_scalar: bool,
    /// The counters of S_WAITCNT (vm, exp, lgkm), and their fields in its immediate.
    pub wait_counters: &'static [WaitCounter; 3],
}

/// Southern Islands, the first generation.
const GFX6: Rules = Rules {
    scalar_offset_unit: 4,
    signed_scalar_offset: false,
    apertures: false,
    inverse_two_pi: false,
    halves_kept: false,
    halves_packed: false,
    loads_clear_halves: false,
    buffer_dialect: Dialect::Strided,
    m0_limits_lds: true,
    lds_sums_wrap: false,
    offset_counts_in_lds: false,
    choice_flushes: false,
    turns_end: true,
    halves_follow_mode: false,
    halves_round_as_singles: true,
    infinities_have_parts: false,
    vgpr_indexing: false,
    image_tiling: Tiling::Indexed,
    swizzle_rotates: false,
    fp16_ovfl: false,
    sums_in_memory_flush: true,
    scratch_offsets_add: false,
    matrix_model: None,
    general_sgprs: general_sgprs(Generation::Gfx6),
    mode_bits: 0xf007_ffff,
    first_ttmp: first_ttmp(Generation::Gfx6),
    trap_addresses_are_scalar: true,
    wait_counters: WaitCounter::all(Generation::Gfx6),
};

/// Sea Islands, with flat addresses.
const GFX7: Rules = Rules {
    lds_sums_wrap: true,
    halves_round_as_singles: false,
    infinities_have_parts: true,
    ..GFX6
};

/// Volcanic Islands, except Stoney.
const GFX8: Rules = Rules {
    scalar_offset_unit: 1,
    inverse_two_pi: true,
    buffer_dialect: Dialect::Swizzled,
    halves_follow_mode: true,
    vgpr_indexing: true,
    swizzle_rotates: true,
    general_sgprs: general_sgprs(Generation::Gfx8),
    mode_bits: 0xf807_ffff,
    ..GFX7
};

/// Stoney, the last of its generation.
const GFX810: Rules = Rules {
    halves_packed: true,
    ..GFX8
};

/// Vega, the generation of the manual.
const GFX9: Rules = Rules {
    signed_scalar_offset: true,
    apertures: true,
    halves_kept: true,
    halves_packed: true,
    buffer_dialect: Dialect::Indexed,
    m0_limits_lds: false,
    offset_counts_in_lds: true,
    choice_flushes: true,
    turns_end: false,
    image_tiling: Tiling::Swizzled,
    fp16_ovfl: true,
    mode_bits: 0xff9f_ffff,
    first_ttmp: first_ttmp(Generation::Gfx9),
    trap_addresses_are_scalar: false,
    wait_counters: WaitCounter::all(Generation::Gfx9),
    ..GFX8
};

/// CDNA 1.
const GFX908: Rules = Rules {
    loads_clear_halves: true,
    buffer_dialect: Dialect::Summed,
    matrix_model: Some(Model::Gfx908),
    ..GFX9
};

/// CDNA 2.
const GFX90A: Rules = Rules {
    loads_clear_halves: true,
    buffer_dialect: Dialect::Summed,
    matrix_model: Some(Model::Gfx90a),
    ..GFX9
};

/// CDNA 3.
const GFX942: Rules = Rules {
    sums_in_memory_flush: false,
    scratch_offsets_add: true,
    loads_clear_halves: true,
    buffer_dialect: Dialect::Summed,
    matrix_model: Some(Model::Gfx942),
    ..GFX9
};

impl Rules {
    /// The rules of a chip.
    pub(crate) const fn of(chip: Chip) -> &'static Rules {
        match (chip, chip.generation()) {
            (Chip::Gfx810, _) => &GFX810,
            (Chip::Gfx908, _) => &GFX908,
            (Chip::Gfx90a, _) => &GFX90A,
            (Chip::Gfx942 | Chip::Gfx950, _) => &GFX942,
            (_, Generation::Gfx6) => &GFX6,
            (_, Generation::Gfx7) => &GFX7,
            (_, Generation::Gfx8) => &GFX8,
            (_, Generation::Gfx9) => &GFX9,
        }
    }
}

/// The layout of a chip's image resources, for code that makes them.
///
/// ```
/// use wavetank_ir::Tiling;
/// assert_eq!(wavetank_lift::image_tiling(wavetank_gcn::Chip::Gfx803), Tiling::Indexed);
/// ```
pub const fn image_tiling(chip: Chip) -> Tiling {
    Rules::of(chip).image_tiling
}

/// The layout of a chip's buffer resources, for code that makes them.
///
/// ```
/// use wavetank_ir::Dialect;
/// assert_eq!(wavetank_lift::buffer_dialect(wavetank_gcn::Chip::Gfx900), Dialect::Indexed);
/// ```
pub const fn buffer_dialect(chip: Chip) -> Dialect {
    Rules::of(chip).buffer_dialect
}
