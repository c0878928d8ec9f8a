//! Factors of gfx942: singles, and their exponents as bytes, counted down from a bias, so that bytes of zeros are the largest.

use iced_x86::{Code, Register};
use wavetank_matrix::ElementType;

use super::common::{
    AND, EACH, LEFT, LESS, LOAD, LOGIC, MAX, MULTIPLY, RIGHT, each, op, set, widen,
};
use crate::compiler::asm::{Arg, Asm, Mem, Under};

/// A tile of dwords to convert.
const RAW: Register = Register::ZMM0;
const SIGN: Register = Register::ZMM1;
const EXPONENT: Register = Register::ZMM2;
/// Bytes of pairs of halves, in words.
const PAIRS: Register = Register::ZMM3;
const MASK: Register = Register::K5;

/// The byte of a zero: the sum with it is the largest, as sums of bytes saturate.
const OF_ZERO: u32 = 255;

/// The exponent of an element type's denormals, with the bias of singles.
fn least_exponent(element: ElementType) -> u32 {
    match element {
        ElementType::Fp8 => 127 - 7,
        ElementType::Bf8 => 127 - 15,
        _ => 1,
    }
}

/// Keeps the upper bits of an xf32.
pub(super) const XF32: u32 = 0xffff_e000;

/// Whether elements have 16 bits.
fn are_halves(element: ElementType) -> bool {
    matches!(element, ElementType::F16 | ElementType::Bf16)
}

/// Loads a tile of dwords to convert, whose exponents are counted from `bias`.
pub(super) fn load(asm: &mut Asm, element: ElementType, bias: u32, from: Mem) {
    asm.op(LOAD, &[RAW.into(), from.into()]);
    if are_halves(element) {
        exponents_of_halves(asm, element, bias);
    }
}

/// Computes the bytes of pairs of halves at once, in words.
fn exponents_of_halves(asm: &mut Asm, element: ElementType, bias: u32) {
    const WORDS: u32 = 0x0001_0001;
    let (fraction_bits, bias) = match element {
        ElementType::F16 => (10, bias - 127 + 15),
        _ => (7, bias),
    };
    let magnitude = each(asm, 0x7fff * WORDS);
    op(asm, AND, EXPONENT, RAW, magnitude);
    let test = Code::EVEX_Vptestnmw_kr_k1_zmm_zmmm512;
    asm.op(test, &[MASK.into(), EXPONENT.into(), EXPONENT.into()]);
    let right = Code::EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8;
    op(asm, right, EXPONENT, EXPONENT, fraction_bits);
    set(asm, PAIRS, WORDS);
    let maximum = Code::EVEX_Vpmaxuw_zmm_k1z_zmm_zmmm512;
    op(asm, maximum, EXPONENT, EXPONENT, PAIRS);
    set(asm, PAIRS, bias * WORDS);
    let less = Code::EVEX_Vpsubw_zmm_k1z_zmm_zmmm512;
    op(asm, less, PAIRS, PAIRS, EXPONENT);
    set(asm, EXPONENT, OF_ZERO * WORDS);
    let copy = Code::EVEX_Vmovdqu16_zmm_k1z_zmmm512;
    asm.under(copy, Under::Merge(MASK), &[PAIRS.into(), EXPONENT.into()]);
}

/// Converts element `n` of the dwords to a single, and to `bias` less its biased exponent, in the lowest byte. The exponent of
/// denormals is that of the smallest normal number; a zero has 255.
pub(super) fn convert(
    asm: &mut Asm,
    (element, n): (ElementType, u32),
    bias: u32,
    value: Register,
    distance: Register,
) {
    if are_halves(element) {
        widen(asm, element, RAW, n as usize, value);
        let shift = 16 * n as u8;
        return op(asm, RIGHT, distance, PAIRS, shift);
    }
    if element == ElementType::Xf32 {
        let kept = each(asm, XF32);
        op(asm, AND, value, RAW, kept);
    } else {
        byte(asm, element, n, value);
    }
    op(asm, LEFT, EXPONENT, value, 1);
    op(asm, RIGHT, EXPONENT, EXPONENT, 24);
    let least = each(asm, least_exponent(element));
    op(asm, MAX, EXPONENT, EXPONENT, least);
    set(asm, distance, bias);
    op(asm, LESS, distance, distance, EXPONENT);
    let magnitude = each(asm, 0x7fff_ffff);
    let test = Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32;
    asm.op(test, &[MASK.into(), value.into(), magnitude]);
    let zero = asm.constant(OF_ZERO);
    asm.under(EACH, Under::Merge(MASK), &[distance.into(), zero.into()]);
}

/// Converts byte `n`. Exponent and fraction are those of a single of another bias: it is multiplied by a power of two.
fn byte(asm: &mut Asm, element: ElementType, n: u32, value: Register) {
    let (fraction, power) = match element {
        ElementType::Fp8 => (3, 127 + 127 - 8),
        _ => (2, 127 + 127 - 16),
    };
    let sign = SIGN;
    op(asm, LEFT, sign, RAW, (24 - 8 * n) as u8);
    let shift = 24 - 23 + fraction;
    op(asm, RIGHT, value, sign, shift as u8);
    let magnitude = each(asm, 0x7f << (23 - fraction));
    op(asm, AND, value, value, magnitude);
    let signs = each(asm, 0x8000_0000);
    // Value, or sign and the bit of signs.
    asm.op(LOGIC, &[value.into(), sign.into(), signs, Arg::I(0xf8)]);
    let power = each(asm, power << 23);
    op(asm, MULTIPLY, value, value, power);
}
