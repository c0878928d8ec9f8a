//! Integer instructions on the bits of floats, for the templates of division.

use iced_x86::{Code, Register};

use super::format::Format;
use crate::compiler::asm::{Arg, Under};
use crate::compiler::tile::{SCRATCH_MASK, Tile};

/// Integer instructions with the width of a float format.
pub(super) struct Whole {
    pub up: Code,
    pub down: Code,
    pub add: Code,
    pub sub: Code,
    pub signed: Code,
    pub unsigned: Code,
    /// The lanes in which no bit of a mask is set, and those in which some are.
    pub is_zero: Code,
    pub not_zero: Code,
    /// The lanes whose sign bit is set.
    pub signs: Code,
    pub are_all: Code,
}

static DWORDS: Whole = Whole {
    up: Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
    down: Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
    add: Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
    sub: Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
    signed: Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8,
    unsigned: Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
    is_zero: Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32,
    not_zero: Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
    signs: Code::EVEX_Vpmovd2m_kr_zmm,
    are_all: Code::VEX_Kortestw_kr_kr,
};

static QWORDS: Whole = Whole {
    up: Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
    down: Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
    add: Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
    sub: Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
    signed: Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8,
    unsigned: Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8,
    is_zero: Code::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64,
    not_zero: Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64,
    signs: Code::EVEX_Vpmovq2m_kr_zmm,
    are_all: Code::VEX_Kortestb_kr_kr,
};

impl Whole {
    pub(super) fn of(f: &Format) -> &'static Whole {
        if f.bits == 64 { &QWORDS } else { &DWORDS }
    }
}

/// Predicates of VPCMPD. The first is also that of VCMPPS.
pub(super) const EQUAL: u8 = 0;
pub(super) const LESS: u8 = 1;
pub(super) const LESS_OR_EQUAL: u8 = 2;
pub(super) const NOT_LESS: u8 = 5;
pub(super) const MORE: u8 = 6;

impl Tile<'_, '_> {
    /// Sets the lanes of the template's mask to a number.
    pub(super) fn fill_marked(&mut self, f: &Format, to: Register, bits: u64) {
        if let Arg::Each(mem) = self.number(f, bits) {
            let under = Under::Merge(SCRATCH_MASK);
            self.asm.under(f.broadcast, under, &[to.into(), mem.into()]);
        }
    }
}
