//! Factors as planes: element number e of all lanes side by side, decoded.
//!
//! In a plane, the elements of one k are consecutive lanes: a column of A, a row of B. So no kernel moves anything between lanes,
//! except for 4×4 blocks, where each lane of D needs the element of A of its own block.

use crate::number::{Class, ElementType, Number};
use crate::operands::Registers;
use crate::shape::LANES;

/// One value a lane.
pub(super) type Plane<T> = [T; LANES];

/// The form in which a kernel takes factors: a value, and what else it needs of an element.
pub(super) trait Factor: Copy {
    /// The value.
    type Value: Copy + Default;
    /// The power of two of the element's exponent, for kernels that align products; otherwise nothing.
    type Scale: Copy + Default;
    /// Makes the form of an element. `least` is the smallest normal number of its format.
    fn of(value: f32, least: f32) -> (Self::Value, Self::Scale);
}

/// The elements of an operand.
#[derive(Clone, Copy)]
pub(super) struct Planes<F: Factor, const E: usize> {
    pub(super) values: [Plane<F::Value>; E],
    pub(super) scales: [Plane<F::Scale>; E],
}

impl<F: Factor, const E: usize> Planes<F, E> {
    /// Decodes registers of elements of one of the types that `K` reads.
    #[inline(always)]
    pub(super) fn decode<R: Reads>(element: ElementType, registers: &Registers) -> Planes<F, E> {
        let least = least_normal(element);
        // Arms that are never taken would be compiled for each shape and each level.
        match element {
            ElementType::F16 if const { reads(R::READS, ElementType::F16) } => {
                Planes::map::<2>(registers, least, |word, n| half(word >> (16 * n) & 0xffff))
            }
            ElementType::Bf16 if const { reads(R::READS, ElementType::Bf16) } => {
                Planes::map::<2>(registers, least, |word, n| {
                    f32::from_bits(word >> (16 * n) << 16)
                })
            }
            ElementType::Fp8 if const { reads(R::READS, ElementType::Fp8) } => {
                Planes::map::<4>(registers, least, |word, n| {
                    byte::<3, 8>(word >> (8 * n) & 0xff)
                })
            }
            ElementType::Bf8 if const { reads(R::READS, ElementType::Bf8) } => {
                Planes::map::<4>(registers, least, |word, n| {
                    byte::<2, 16>(word >> (8 * n) & 0xff)
                })
            }
            ElementType::I8 if const { reads(R::READS, ElementType::I8) } => {
                Planes::map::<4>(registers, least, |word, n| {
                    f32::from((word >> (8 * n)) as i8)
                })
            }
            ElementType::Xf32 if const { reads(R::READS, ElementType::Xf32) } => {
                Planes::map::<1>(registers, least, |word, _| f32::from_bits(word & XF32))
            }
            ElementType::F32 if const { reads(R::READS, ElementType::F32) } => {
                Planes::map::<1>(registers, least, |word, _| f32::from_bits(word))
            }
            _ => Planes::zero(),
        }
    }

    fn zero() -> Planes<F, E> {
        Planes {
            values: [[F::Value::default(); LANES]; E],
            scales: [[F::Scale::default(); LANES]; E],
        }
    }

    /// Applies a function to the `P` parts of each word.
    #[inline(always)]
    fn map<const P: usize>(
        registers: &Registers,
        least: f32,
        value: impl Fn(u32, u32) -> f32,
    ) -> Planes<F, E> {
        let mut planes = Planes::zero();
        if registers.len() * P < E {
            return planes;
        }
        for e in 0..E {
            let register = &registers[e / P];
            for (lane, word) in register.iter().enumerate() {
                let (value, scale) = F::of(value(*word, (e % P) as u32), least);
                planes.values[e][lane] = value;
                planes.scales[e][lane] = scale;
            }
        }
        planes
    }
}

/// The element types that a kernel reads.
pub(super) trait Reads {
    const READS: &'static [ElementType];
}

const fn reads(all: &[ElementType], element: ElementType) -> bool {
    let mut at = 0;
    while at < all.len() {
        if all[at] as u8 == element as u8 {
            return true;
        }
        at += 1;
    }
    false
}

/// The bits that the matrix unit reads of xf32.
const XF32: u32 = !0x1fff;

/// Returns the smallest normal number of a format, and of singles where the format does not matter.
fn least_normal(element: ElementType) -> f32 {
    let exponent = match element {
        ElementType::F16 => -14,
        ElementType::Fp8 => -7,
        ElementType::Bf8 => -15,
        _ => -126,
    };
    f32::from_bits(((127 + exponent) as u32) << 23)
}

/// Decodes a half: its bits are those of a single 2^112 times smaller, except for infinities and NaNs.
#[inline(always)]
fn half(bits: u32) -> f32 {
    let magnitude = (bits & 0x7fff) << 13;
    let finite = (f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23)).to_bits();
    let special = magnitude | 0x7f80_0000;
    let magnitude = if bits & 0x7c00 == 0x7c00 {
        special
    } else {
        finite
    };
    f32::from_bits(magnitude | (bits & 0x8000) << 16)
}

/// Decodes a byte with so many bits of fraction and such a bias, as `half` does. `0x80` is NaN.
#[inline(always)]
fn byte<const FRACTION: u32, const BIAS: u32>(bits: u32) -> f32 {
    let magnitude = (bits & 0x7f) << (23 - FRACTION);
    let scale = f32::from_bits((127 + 127 - BIAS) << 23);
    let finite = (f32::from_bits(magnitude) * scale).to_bits() | (bits & 0x80) << 24;
    f32::from_bits(if bits == 0x80 {
        f32::NAN.to_bits()
    } else {
        finite
    })
}

/// The exponents of the elements of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Exponents {
    /// The smallest among the elements that are not zero.
    pub(super) min: i32,
    /// The largest. Infinities and NaNs have 128; a NaN of eight bits too.
    pub(super) max: i32,
}

impl Exponents {
    /// Finds the exponents of the elements in registers. Denormals have the smallest of their format, and if all elements are
    /// zero, both are 0.
    #[inline(always)]
    pub(super) fn of(element: ElementType, registers: &Registers) -> Exponents {
        let (low, high) = match element.bits() {
            8 => extremes::<4>(registers, 0xff, |byte| {
                // NaN stands alone, where negative zero would be.
                if byte == 0x80 { byte } else { byte & 0x7f }
            }),
            16 => extremes::<2>(registers, 0xffff, |half| half & 0x7fff),
            _ if element == ElementType::Xf32 => {
                extremes::<1>(registers, u32::MAX, |word| word & 0x7fff_ffff & XF32)
            }
            _ => extremes::<1>(registers, u32::MAX, |word| word & 0x7fff_ffff),
        };
        if high == 0 {
            return Exponents { min: 0, max: 0 };
        }
        let exponent = |bits: u32| {
            let number = Number::decode(element, bits);
            match number.class {
                Class::Finite => number.exponent,
                _ => 128,
            }
        };
        Exponents {
            min: exponent(low),
            max: exponent(high),
        }
    }
}

/// The smallest magnitude that is not zero, and the largest, among the `P` elements of each word.
#[inline(always)]
fn extremes<const P: usize>(
    registers: &Registers,
    mask: u32,
    magnitude: impl Fn(u32) -> u32,
) -> (u32, u32) {
    // One value a lane, so that the loop over lanes is one over registers. Of a zero, one less is the largest number.
    let mut low = [u32::MAX; LANES];
    let mut high = [0; LANES];
    for register in registers {
        for ((low, high), word) in low.iter_mut().zip(&mut high).zip(register) {
            for part in 0..P {
                let magnitude = magnitude(word >> (part * 32 / P) & mask);
                *low = (*low).min(magnitude.wrapping_sub(1));
                *high = (*high).max(magnitude);
            }
        }
    }
    let low = low.iter().copied().fold(u32::MAX, u32::min);
    let high = high.iter().copied().fold(0, u32::max);
    (low.wrapping_add(1), high)
}
