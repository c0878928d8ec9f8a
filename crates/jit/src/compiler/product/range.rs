//! The range of absolute values, which decides whether there is fast code for them.

use iced_x86::{Code, Register};

use super::common::{EACH, LOAD};
use crate::compiler::asm::{Arg, Asm, Label, Mem};

/// The least of nonzero absolute values, less one, and the largest.
const LEAST: Register = Register::ZMM5;
const LARGEST: Register = Register::ZMM6;
const ONE: Register = Register::ZMM3;
const VALUE: Register = Register::ZMM0;
const LIMIT: Register = Register::ZMM7;
const MASK: Register = Register::K5;

/// The bits of numbers: signs and magnitudes in words or dwords.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Words,
    Dwords,
}

impl Width {
    /// Instructions: less, minimum, maximum, comparison.
    fn codes(self) -> [Code; 4] {
        match self {
            Width::Words => [
                Code::EVEX_Vpsubw_zmm_k1z_zmm_zmmm512,
                Code::EVEX_Vpminuw_zmm_k1z_zmm_zmmm512,
                Code::EVEX_Vpmaxuw_zmm_k1z_zmm_zmmm512,
                Code::EVEX_Vpcmpuw_kr_k1_zmm_zmmm512_imm8,
            ],
            Width::Dwords => [
                Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
                Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
            ],
        }
    }

    /// A number in each element of a dword.
    fn each(self, number: u32) -> u32 {
        match self {
            Width::Words => number * 0x0001_0001,
            Width::Dwords => number,
        }
    }
}

/// Leaves if the magnitude of a number other than zero is below the first limit, or that of any number not below the second.
pub(super) fn leave_outside(
    asm: &mut Asm,
    width: Width,
    tiles: impl Iterator<Item = Mem>,
    prepare: impl Fn(&mut Asm, Register),
    [low, high]: [u32; 2],
    slow: Label,
) {
    let [less, least, largest, compare] = width.codes();
    let one = asm.constant(width.each(1));
    asm.op(EACH, &[ONE.into(), one.into()]);
    let logic = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
    asm.op(
        logic,
        &[LEAST.into(), LEAST.into(), LEAST.into(), Arg::I(0xff)],
    );
    asm.op(
        logic,
        &[LARGEST.into(), LARGEST.into(), LARGEST.into(), Arg::I(0)],
    );
    let magnitude = match width {
        Width::Words => 0x7fff_7fff,
        Width::Dwords => 0x7fff_ffff,
    };
    let magnitude = Arg::Each(asm.constant(magnitude));
    for tile in tiles {
        asm.op(LOAD, &[VALUE.into(), tile.into()]);
        prepare(asm, VALUE);
        let and = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
        asm.op(and, &[VALUE.into(), VALUE.into(), magnitude]);
        asm.op(largest, &[LARGEST.into(), LARGEST.into(), VALUE.into()]);
        if low > 1 {
            asm.op(less, &[VALUE.into(), VALUE.into(), ONE.into()]);
            asm.op(least, &[LEAST.into(), LEAST.into(), VALUE.into()]);
        }
    }
    // Below the lower limit, less one; not below the upper limit.
    const BELOW: u8 = 1;
    const NOT_BELOW: u8 = 5;
    let tests = [(LARGEST, high, NOT_BELOW), (LEAST, low - 1, BELOW)];
    let count = if low > 1 { 2 } else { 1 };
    for (of, limit, relation) in tests.into_iter().take(count) {
        let limit = asm.constant(width.each(limit));
        asm.op(EACH, &[LIMIT.into(), limit.into()]);
        asm.op(
            compare,
            &[MASK.into(), of.into(), LIMIT.into(), relation.into()],
        );
        leave_if_any(asm, MASK, slow);
    }
}

/// Leaves if a mask is not empty.
pub(super) fn leave_if_any(asm: &mut Asm, mask: Register, slow: Label) {
    asm.op(Code::VEX_Kortestq_kr_kr, &[mask.into(); 2]);
    asm.jump(Code::Jne_rel32_64, slow);
}
