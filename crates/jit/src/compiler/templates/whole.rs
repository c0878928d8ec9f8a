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
    /// The lanes in which no bit of a mask is set.
    pub is_zero: Code,
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
    /// Marks the lanes in which both numbers are near 1: their exponents are from 2^(n-1) below that of 1 to 2^(n-1) - 1 above it.
    /// Changes two scratch registers.
    ///
    /// With the least of these exponents subtracted, the bits of the exponent from n on are 0. The sign may change, which is not
    /// tested.
    pub(super) fn mark_near_one(
        &mut self,
        f: &Format,
        numbers: [Register; 2],
        [first, second]: [Register; 2],
        n: u32,
    ) {
        let (w, k) = (Whole::of(f), SCRATCH_MASK);
        let least = self.number(f, f.one() - (1 << (f.fraction + n - 1)));
        for (to, from) in [first, second].into_iter().zip(numbers) {
            self.asm.op(w.sub, &[to.into(), from.into(), least]);
        }
        let args = [first.into(), first.into(), second.into()];
        self.asm.op(f.or, &args);
        let above = self.number(f, (f.sign() - 1) & !((1 << (f.fraction + n)) - 1));
        self.asm.op(w.is_zero, &[k.into(), first.into(), above]);
    }

    /// Sets the lanes of the template's mask to a number.
    pub(super) fn fill_marked(&mut self, f: &Format, to: Register, bits: u64) {
        if let Arg::Each(mem) = self.number(f, bits) {
            let under = Under::Merge(SCRATCH_MASK);
            self.asm.under(f.broadcast, under, &[to.into(), mem.into()]);
        }
    }
}
