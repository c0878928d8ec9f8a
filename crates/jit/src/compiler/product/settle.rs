//! The addition of a sum of products to the accumulator, where both are floored: f16, bf16 and xf32 of gfx942.
//!
//! The sum is an integer of less than 2^29 in units of 2^(e-24), where e is the largest exponent of the products. Floors matter in
//! one of two cases only:
//!
//! * The accumulator is less than 1.5 · 2^30 units. It is floored to an integer, and the total fits 32 bits. It is not floored any
//!   more, as it has no bits below a unit.
//! * It is larger: then it is a multiple of 128 units, and more than the double of the sum. The total is floored to 32 bits. The
//!   sum, floored at that place and with its lower bits rounded to odd, is a single, and a fused multiply-add rounds the total.
//!
//! Infinite accumulators are of the second case, and stay, as do all where every product is zero: there the scale is infinite. Two rows are added at once, as each instruction waits for the one before.

use iced_x86::{Code, Register, RoundingControl};

use super::common::{ADD, AND, LESS, LOGIC, MULTIPLY, RIGHT, RIGHT_BY, TO_FLOAT, each, op, set};
use crate::compiler::asm::{Arg, Asm, Under};

/// The registers of an addition in one row.
pub(super) struct Addition {
    /// 2^(24-e): the inverse of a unit.
    pub(super) scale: Register,
    pub(super) sum: Register,
    /// The accumulator, and the result.
    pub(super) accumulator: Register,
    /// 2^(e-25): half a unit.
    half: Register,
    spare: [Register; 3],
    /// The lanes of the first case, and those of the second.
    small: Register,
    large: Register,
}

/// The additions of four rows, of which two are computed at once. Registers from ZMM8 to ZMM11, ZMM14 and those from ZMM16 to ZMM23
/// are not theirs.
pub(super) const ROWS: [Addition; 4] = [
    Addition::of(Register::ZMM0, Register::ZMM1, 0),
    Addition::of(Register::ZMM24, Register::ZMM25, 1),
    Addition::of(Register::ZMM7, Register::ZMM31, 0),
    Addition::of(Register::ZMM12, Register::ZMM13, 1),
];

impl Addition {
    /// The first or the second addition of two.
    const fn of(scale: Register, sum: Register, n: usize) -> Addition {
        const OTHERS: [[Register; 5]; 2] = [
            [
                Register::ZMM2,
                Register::ZMM3,
                Register::ZMM4,
                Register::ZMM5,
                Register::ZMM6,
            ],
            [
                Register::ZMM26,
                Register::ZMM27,
                Register::ZMM28,
                Register::ZMM29,
                Register::ZMM30,
            ],
        ];
        const MASKS: [[Register; 2]; 2] =
            [[Register::K1, Register::K2], [Register::K3, Register::K4]];
        let [accumulator, half, spare @ ..] = OTHERS[n];
        let [small, large] = MASKS[n];
        Addition {
            scale,
            sum,
            accumulator,
            half,
            spare,
            small,
            large,
        }
    }
}

/// 1.5 · 2^30 as a single, and without its sign bit.
const LIMIT: u32 = 1.5f32.to_bits() + (30 << 23);
const OR: Code = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
/// Where the exponent of a single is.
const EXPONENT: u32 = 0x7f80_0000;
/// The lower bits of a sum, which are rounded to odd, and the bit above them, in each lane of a register.
const LOW: u32 = 63;
const TO_ODD: u32 = 127;
const EACH_TO_ODD: Register = Register::ZMM15;

/// Loads what all additions need.
pub(super) fn prepare(asm: &mut Asm) {
    set(asm, EACH_TO_ODD, TO_ODD);
}

/// Adds the sums of both rows to their accumulators.
pub(super) fn add(asm: &mut Asm, rows: &[Addition; 2]) {
    let (large, done) = (asm.label(), asm.label());
    for row in rows {
        row.look(asm);
    }
    let [first, second] = rows;
    let test = Code::VEX_Kortestw_kr_kr;
    asm.op(test, &[first.small.into(), second.small.into()]);
    asm.jump(Code::Je_rel32_64, large);
    add_integers(asm, rows);
    asm.op(test, &[first.large.into(), second.large.into()]);
    asm.jump(Code::Je_rel32_64, done);
    asm.place(large);
    add_to_large(asm, rows);
    asm.place(done);
}

impl Addition {
    /// Finds which lanes are of which case, and leaves the accumulator in units in the first spare register.
    fn look(&self, asm: &mut Asm) {
        let [scaled, doubled, ..] = self.spare;
        // An accumulator that becomes a denormal must not become zero.
        let down = RoundingControl::RoundDown;
        let args = [scaled.into(), self.accumulator.into(), self.scale.into()];
        asm.rounded(MULTIPLY, down, Under::All, &args);
        // Biased exponents of a number and of its inverse add up to 254.
        set(asm, self.half, 253 << 23);
        op(asm, LESS, self.half, self.half, self.scale);
        // The sum with itself has no sign bit.
        op(asm, ADD, doubled, scaled, scaled);
        const BELOW: u8 = 1;
        let compare = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
        let limit = each(asm, LIMIT << 1);
        asm.op(
            compare,
            &[self.small.into(), doubled.into(), limit, BELOW.into()],
        );
        asm.op(
            Code::VEX_Knotw_kr_kr,
            &[self.large.into(), self.small.into()],
        );
    }
}

/// The first case.
fn add_integers(asm: &mut Asm, rows: &[Addition; 2]) {
    for row in rows {
        let [scaled, unit, ..] = row.spare;
        let to_int = Code::EVEX_Vcvtps2dq_zmm_k1z_zmmm512b32_er;
        let down = RoundingControl::RoundDown;
        asm.rounded(to_int, down, Under::All, &[scaled.into(), scaled.into()]);
        op(asm, ADD, scaled, scaled, row.sum);
        asm.op(TO_FLOAT, &[scaled.into(), scaled.into()]);
        let twice = each(asm, 1 << 23);
        op(asm, ADD, unit, row.half, twice);
        let args = [row.accumulator.into(), scaled.into(), unit.into()];
        asm.under(MULTIPLY, Under::Merge(row.small), &args);
    }
}

/// The second case.
fn add_to_large(asm: &mut Asm, rows: &[Addition; 2]) {
    for row in rows {
        row.find_exponent(asm);
    }
    for row in rows {
        row.align(asm);
    }
    for row in rows {
        row.round(asm);
    }
}

impl Addition {
    /// Leaves the power of two of the total's exponent in the first spare register, and the sum in halves of units in the third. Its
    /// lower bits do not decide about the exponent, but must not become zero: the total could be just below a power of two.
    fn find_exponent(&self, asm: &mut Asm) {
        let [total, _, part] = self.spare;
        op(asm, ADD, part, self.sum, self.sum);
        op(asm, OR, total, part, EACH_TO_ODD);
        let down = RoundingControl::RoundDown;
        asm.rounded(TO_FLOAT, down, Under::All, &[total.into(), total.into()]);
        let fma = Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er;
        let args = [total.into(), self.half.into(), self.accumulator.into()];
        asm.rounded(fma, RoundingControl::RoundTowardZero, Under::All, &args);
        let exponent = each(asm, EXPONENT);
        op(asm, AND, total, total, exponent);
    }

    /// Leaves the last of 32 bits of the total in the first spare register, and the sum in such units, at most 30 bits, in the third.
    fn align(&self, asm: &mut Asm) {
        let [total, distance, part] = self.spare;
        let last = each(asm, 31 << 23);
        op(asm, LESS, total, total, last);
        op(asm, LESS, distance, total, self.half);
        op(asm, RIGHT, distance, distance, 23);
        op(asm, RIGHT_BY, part, part, distance);
    }

    /// Adds that, with lower bits that become one above them.
    fn round(&self, asm: &mut Asm) {
        let [last, _, part] = self.spare;
        let low = each(asm, LOW);
        let test = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
        asm.op(test, &[self.small.into(), part.into(), low]);
        // What is in one of the first two, but not in the third.
        let args = [part.into(), EACH_TO_ODD.into(), low, Arg::I(0x56)];
        asm.under(LOGIC, Under::Merge(self.small), &args);
        asm.op(TO_FLOAT, &[part.into(), part.into()]);
        let fma = Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er;
        let args = [self.accumulator.into(), part.into(), last.into()];
        asm.under(fma, Under::Merge(self.large), &args);
    }
}
