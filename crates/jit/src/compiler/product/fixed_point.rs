//! The addition of a sum of fp8 or bf8 products to the accumulator, in 32-bit integers.
//!
//! Products of even and odd k come as two sums. In units of 2^(m-32), where m is the larger of the exponents of products and
//! accumulator, the total is 256 times a signed `HIGH` plus a `low` below 256. Floors clear bits of `low`.

use iced_x86::{Code, Register, RoundingControl};

use super::common::{
    ADD, AND, LEFT, LESS, LOAD, LOGIC, MAX, MULTIPLY, RIGHT, RIGHT_BY, TO_FLOAT, XOR, each, op,
    set, zmm,
};
use crate::compiler::asm::{Arg, Asm, Under};

/// The largest exponent of products, with the bias of singles, and their sum in units of 2^24 less: those of even k, and of all.
pub(super) const EVEN: [Register; 2] = [Register::ZMM0, Register::ZMM2];
/// Those of products with odd k.
pub(super) const ODD: [Register; 2] = [Register::ZMM6, Register::ZMM7];
pub(super) const ACCUMULATOR: Register = Register::ZMM3;
/// The upper part of the total, and the result.
pub(super) const HIGH: Register = Register::ZMM6;
const LARGEST: Register = EVEN[0];
const SUM: Register = EVEN[1];
const SPARE: [Register; 3] = [Register::ZMM1, Register::ZMM4, Register::ZMM5];
const MASK: Register = Register::K5;

/// 24 more than twice the bias: less a biased exponent, that of 2^24 over its power.
const SCALE: u32 = 127 + 127 + 24;

/// The power of two that makes an exponent 24.
fn scale_of(asm: &mut Asm, to: Register, exponent: Register) {
    set(asm, to, SCALE);
    op(asm, LESS, to, to, exponent);
    op(asm, LEFT, to, to, 23);
}

/// Adds the sums of even and odd products, floored in units of the larger exponent.
pub(super) fn join_halves(asm: &mut Asm) {
    let ([odd, odd_sum], [larger, by, _]) = (ODD, SPARE);
    op(asm, MAX, larger, LARGEST, odd);
    for (exponent, sum) in [(LARGEST, SUM), (odd, odd_sum)] {
        op(asm, LESS, by, larger, exponent);
        op(asm, RIGHT_BY, sum, sum, by);
    }
    op(asm, ADD, SUM, SUM, odd_sum);
    asm.op(LOAD, &[LARGEST.into(), larger.into()]);
}

/// Adds the sum of products to the accumulator: the result is [`HIGH`].
pub(super) fn add(asm: &mut Asm) {
    let (m, distance) = (Register::ZMM4, Register::ZMM5);
    let (exponent, kept, low, by) = (Register::ZMM1, Register::ZMM7, zmm(8), zmm(9));
    op(asm, LEFT, exponent, ACCUMULATOR, 1);
    op(asm, RIGHT, exponent, exponent, 24);
    op(asm, MAX, m, exponent, LARGEST);
    op(asm, LESS, distance, m, LARGEST);
    // The accumulator, floored, in units of 2^(m-24).
    scale_of(asm, kept, m);
    let down = RoundingControl::RoundDown;
    let args = [kept.into(), kept.into(), ACCUMULATOR.into()];
    asm.rounded(MULTIPLY, down, Under::All, &args);
    let to_int = Code::EVEX_Vcvtps2dq_zmm_k1z_zmmm512b32_er;
    asm.rounded(to_int, down, Under::All, &[kept.into(), kept.into()]);
    // One that is far below the products is dropped.
    let far = each(asm, 25);
    op(asm, ADD, exponent, exponent, far);
    const LESS_THAN: u8 = 1;
    let compare = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
    asm.op(
        compare,
        &[MASK.into(), exponent.into(), m.into(), LESS_THAN.into()],
    );
    asm.under(XOR, Under::Merge(MASK), &[kept.into(); 3]);
    op(asm, RIGHT_BY, HIGH, SUM, distance);
    op(asm, ADD, HIGH, HIGH, kept);
    // The sum of products has 8 bits below that, if it is not far below the accumulator.
    set(asm, by, 8);
    op(asm, LESS, by, by, distance);
    op(asm, Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, low, SUM, by);
    let eight = each(asm, 8);
    let greater = Code::EVEX_Vpcmpgtd_kr_k1_zmm_zmmm512b32;
    asm.op(greater, &[MASK.into(), distance.into(), eight]);
    op(asm, LESS, by, distance, eight);
    let args = [low.into(), SUM.into(), by.into()];
    asm.under(RIGHT_BY, Under::Merge(MASK), &args);
    let byte = each(asm, 0xff);
    op(asm, AND, low, low, byte);
    floor_to_32_bits(asm, low, by, kept);
    round(asm, low);
    // The total is in units of 2^(m-32).
    let unit = each(asm, 127 + 32);
    op(asm, LESS, m, m, unit);
    asm.op(TO_FLOAT, &[m.into(), m.into()]);
    let scale = Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er;
    op(asm, scale, HIGH, HIGH, m);
}

/// Clears bits of `low` that are more than 31 below the first bit of the total.
fn floor_to_32_bits(asm: &mut Asm, low: Register, by: Register, first: Register) {
    // The first bit of a number or of its complement. They differ for negative powers of two, which have no bits to clear.
    op(
        asm,
        Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
        first,
        HIGH,
        31,
    );
    op(asm, XOR, first, first, HIGH);
    asm.op(
        Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32,
        &[first.into(), first.into()],
    );
    set(asm, by, 8);
    op(asm, Code::EVEX_Vpsubusw_zmm_k1z_zmm_zmmm512, by, by, first);
    op(asm, Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, low, low, by);
    op(asm, Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, low, low, by);
}

/// Rounds 256 times `HIGH` plus `low` to a single: the sum of two singles that are exact.
fn round(asm: &mut Asm, low: Register) {
    let rest = Register::ZMM7;
    op(asm, LEFT, rest, HIGH, 8);
    let middle = each(asm, 0x00ff_ff00);
    // The bits of `rest` that are in `middle`, or those of `low`.
    asm.op(LOGIC, &[rest.into(), low.into(), middle, Arg::I(0xec)]);
    let upper = each(asm, 0xffff_0000);
    op(asm, AND, HIGH, HIGH, upper);
    for part in [HIGH, rest] {
        asm.op(TO_FLOAT, &[part.into(), part.into()]);
    }
    let factor = each(asm, 256f32.to_bits());
    let fma = Code::EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er;
    op(asm, fma, HIGH, rest, factor);
}
