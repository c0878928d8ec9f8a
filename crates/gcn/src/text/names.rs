//! The names of codes, for printing and parsing alike.

use crate::generation::{Chip, Generation};
use crate::inst::{DstUnused, SdwaSel};
use crate::numbers::hwreg;

/// The code of the scalar register M0.
pub(crate) use crate::numbers::sreg::M0;

/// Returns special scalar register pairs: the code of the low half, and the name.
pub(crate) fn register_pairs(generation: Generation) -> &'static [(u8, &'static str)] {
    match generation {
        Generation::Gfx6 => &[(106, "vcc"), (108, "tba"), (110, "tma"), (126, "exec")],
        Generation::Gfx7 => &[
            (104, "flat_scratch"),
            (106, "vcc"),
            (108, "tba"),
            (110, "tma"),
            (126, "exec"),
        ],
        Generation::Gfx8 => &[
            (102, "flat_scratch"),
            (104, "xnack_mask"),
            (106, "vcc"),
            (108, "tba"),
            (110, "tma"),
            (126, "exec"),
        ],
        Generation::Gfx9 => &[
            (102, "flat_scratch"),
            (104, "xnack_mask"),
            (106, "vcc"),
            (126, "exec"),
        ],
    }
}

/// The code of ttmp0, by generation.
pub(crate) use crate::numbers::first_ttmp;

/// Sources that are not registers, by code.
pub(crate) const SPECIAL_SOURCES: [(u8, &str); 9] = [
    (235, "src_shared_base"),
    (236, "src_shared_limit"),
    (237, "src_private_base"),
    (238, "src_private_limit"),
    (239, "src_pops_exiting_wave_id"),
    (251, "src_vccz"),
    (252, "src_execz"),
    (253, "src_scc"),
    (254, "src_lds_direct"),
];

/// An inline float: its code, its text, and its bits in 16 and 32 bits.
pub(crate) struct InlineFloat {
    pub code: u8,
    pub text: &'static str,
    pub f16: u16,
    pub f32: u32,
}

const fn float(code: u8, text: &'static str, f16: u16, f32: u32) -> InlineFloat {
    InlineFloat {
        code,
        text,
        f16,
        f32,
    }
}

/// The text of the 64-bit 1/(2π), which has more digits.
pub(crate) const INV_2PI_F64: &str = "0.15915494309189532";

/// The bits of the 64-bit 1/(2π).
pub(crate) const INV_2PI_BITS: u64 = 0x3fc4_5f30_6dc9_c882;

/// The inline floats, 240 to 248 (Vega ISA, 5.2 "Scalar ALU operands"; codes
/// 241, 243, 245 and 247 are negative).
pub(crate) const INLINE_FLOATS: [InlineFloat; 9] = [
    float(240, "0.5", 0x3800, 0x3f00_0000),
    float(241, "-0.5", 0xb800, 0xbf00_0000),
    float(242, "1.0", 0x3c00, 0x3f80_0000),
    float(243, "-1.0", 0xbc00, 0xbf80_0000),
    float(244, "2.0", 0x4000, 0x4000_0000),
    float(245, "-2.0", 0xc000, 0xc000_0000),
    float(246, "4.0", 0x4400, 0x4080_0000),
    float(247, "-4.0", 0xc400, 0xc080_0000),
    float(248, "0.15915494", 0x3118, 0x3e22_f983),
];

/// SDWA selections, by code.
pub(crate) const SDWA_SELS: [(&str, SdwaSel); 7] = [
    ("BYTE_0", SdwaSel::Byte0),
    ("BYTE_1", SdwaSel::Byte1),
    ("BYTE_2", SdwaSel::Byte2),
    ("BYTE_3", SdwaSel::Byte3),
    ("WORD_0", SdwaSel::Word0),
    ("WORD_1", SdwaSel::Word1),
    ("DWORD", SdwaSel::Dword),
];

/// SDWA treatments of the rest of the destination, by code.
pub(crate) const DST_UNUSED: [(&str, DstUnused); 3] = [
    ("UNUSED_PAD", DstUnused::Pad),
    ("UNUSED_SEXT", DstUnused::Sext),
    ("UNUSED_PRESERVE", DstUnused::Preserve),
];

/// Data formats of MTBUF by code.
pub(crate) const DATA_FORMATS: [&str; 16] = [
    "BUF_DATA_FORMAT_INVALID",
    "BUF_DATA_FORMAT_8",
    "BUF_DATA_FORMAT_16",
    "BUF_DATA_FORMAT_8_8",
    "BUF_DATA_FORMAT_32",
    "BUF_DATA_FORMAT_16_16",
    "BUF_DATA_FORMAT_10_11_11",
    "BUF_DATA_FORMAT_11_11_10",
    "BUF_DATA_FORMAT_10_10_10_2",
    "BUF_DATA_FORMAT_2_10_10_10",
    "BUF_DATA_FORMAT_8_8_8_8",
    "BUF_DATA_FORMAT_32_32",
    "BUF_DATA_FORMAT_16_16_16_16",
    "BUF_DATA_FORMAT_32_32_32",
    "BUF_DATA_FORMAT_32_32_32_32",
    "BUF_DATA_FORMAT_RESERVED_15",
];

/// Returns the number formats of MTBUF by code.
pub(crate) const fn number_formats(generation: Generation) -> [&'static str; 8] {
    let sixth = match generation {
        Generation::Gfx6 | Generation::Gfx7 => "BUF_NUM_FORMAT_SNORM_OGL",
        _ => "BUF_NUM_FORMAT_RESERVED_6",
    };
    [
        "BUF_NUM_FORMAT_UNORM",
        "BUF_NUM_FORMAT_SNORM",
        "BUF_NUM_FORMAT_USCALED",
        "BUF_NUM_FORMAT_SSCALED",
        "BUF_NUM_FORMAT_UINT",
        "BUF_NUM_FORMAT_SINT",
        sixth,
        "BUF_NUM_FORMAT_FLOAT",
    ]
}

/// The data and number format that is omitted from the text.
pub(crate) const DEFAULT_DFMT: u8 = 1;
pub(crate) const DEFAULT_NFMT: u8 = 0;

/// Hardware registers of s_getreg and s_setreg: code, name, first generation.
pub(crate) const HWREGS: [(u8, &str, Generation); 12] = [
    (hwreg::MODE, "HW_REG_MODE", Generation::Gfx6),
    (hwreg::STATUS, "HW_REG_STATUS", Generation::Gfx6),
    (hwreg::TRAPSTS, "HW_REG_TRAPSTS", Generation::Gfx6),
    (hwreg::HW_ID, "HW_REG_HW_ID", Generation::Gfx6),
    (hwreg::GPR_ALLOC, "HW_REG_GPR_ALLOC", Generation::Gfx6),
    (hwreg::LDS_ALLOC, "HW_REG_LDS_ALLOC", Generation::Gfx6),
    (hwreg::IB_STS, "HW_REG_IB_STS", Generation::Gfx6),
    (hwreg::SH_MEM_BASES, "HW_REG_SH_MEM_BASES", Generation::Gfx9),
    (hwreg::TBA_LO, "HW_REG_TBA_LO", Generation::Gfx9),
    (hwreg::TBA_HI, "HW_REG_TBA_HI", Generation::Gfx9),
    (hwreg::TMA_LO, "HW_REG_TMA_LO", Generation::Gfx9),
    (hwreg::TMA_HI, "HW_REG_TMA_HI", Generation::Gfx9),
];

/// Hardware registers from gfx942 on: code, name.
pub(crate) const HWREGS_942: [(u8, &str); 5] = [
    (hwreg::XCC_ID, "HW_REG_XCC_ID"),
    (21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"),
    (22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"),
    (23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"),
    (24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"),
];

/// Returns the hardware registers of a chip: code, name.
pub(crate) fn hwregs(chip: Chip) -> impl Iterator<Item = (u8, &'static str)> {
    let known = HWREGS.iter().filter(move |row| row.2 <= chip.generation());
    let later = HWREGS_942.iter().filter(move |_| chip >= Chip::Gfx942);
    known.map(|row| (row.0, row.1)).chain(later.copied())
}

/// Messages of s_sendmsg: code, name, first generation.
pub(crate) const MESSAGES: [(u8, &str, Generation); 11] = [
    (1, "MSG_INTERRUPT", Generation::Gfx6),
    (MSG_GS, "MSG_GS", Generation::Gfx6),
    (MSG_GS_DONE, "MSG_GS_DONE", Generation::Gfx6),
    (4, "MSG_SAVEWAVE", Generation::Gfx8),
    (5, "MSG_STALL_WAVE_GEN", Generation::Gfx9),
    (6, "MSG_HALT_WAVES", Generation::Gfx9),
    (7, "MSG_ORDERED_PS_DONE", Generation::Gfx9),
    (8, "MSG_EARLY_PRIM_DEALLOC", Generation::Gfx9),
    (9, "MSG_GS_ALLOC_REQ", Generation::Gfx9),
    (10, "MSG_GET_DOORBELL", Generation::Gfx9),
    (MSG_SYSMSG, "MSG_SYSMSG", Generation::Gfx6),
];

/// The messages that have an operation.
pub(crate) const MSG_GS: u8 = 2;
pub(crate) const MSG_GS_DONE: u8 = 3;
pub(crate) const MSG_SYSMSG: u8 = 15;

/// Operations of MSG_GS and MSG_GS_DONE, by code.
pub(crate) const GS_OPS: [&str; 4] = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];

/// Operations of MSG_SYSMSG, from code 1 on.
pub(crate) const SYSMSG_OPS: [&str; 4] = [
    "SYSMSG_OP_ECC_ERR_INTERRUPT",
    "SYSMSG_OP_REG_RD",
    "SYSMSG_OP_HOST_TRAP_ACK",
    "SYSMSG_OP_TTRACE_PC",
];

/// Bits of the index mask of s_set_gpr_idx_on.
pub(crate) const GPR_IDX: [&str; 4] = ["SRC0", "SRC1", "SRC2", "DST"];

/// DPP controls that take an amount: the first code less its amount, the name, and the valid amounts.
pub(crate) const DPP_AMOUNTS: [(u16, &str, std::ops::RangeInclusive<u16>); 9] = [
    (0x100, "row_shl", 1..=15),
    (0x110, "row_shr", 1..=15),
    (0x120, "row_ror", 1..=15),
    (0x12f, "wave_shl", 1..=1),
    (0x133, "wave_rol", 1..=1),
    (0x137, "wave_shr", 1..=1),
    (0x13b, "wave_ror", 1..=1),
    (0x142 - 15, "row_bcast", 15..=15),
    (0x143 - 31, "row_bcast", 31..=31),
];

/// The DPP control that gfx90a adds.
const ROW_NEWBCAST: (u16, &str, std::ops::RangeInclusive<u16>) = (0x150, "row_newbcast", 0..=15);

/// Returns the DPP controls of a chip that take an amount.
pub(crate) fn dpp_amounts(
    chip: Chip,
) -> impl Iterator<Item = (u16, &'static str, std::ops::RangeInclusive<u16>)> {
    let later = (chip >= Chip::Gfx90a).then_some(ROW_NEWBCAST);
    DPP_AMOUNTS.into_iter().chain(later)
}

/// DPP controls without an amount.
pub(crate) const DPP_PLAIN: [(u16, &str); 2] = [(0x140, "row_mirror"), (0x141, "row_half_mirror")];
