//! The element types of matrices, and the numbers that their bits stand for.
//!
//! A number is an integer times a power of two, so that references can compute with integers alone. The exponent is kept beside
//! it: the fused sums of gfx942 align by the exponents of the encoding, in which a denormal has the smallest exponent of its
//! format and is not normalised.

/// The type of an element of A, B, C or D.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ElementType {
    /// IEEE binary64.
    F64,
    /// IEEE binary32.
    F32,
    /// Single precision of which the matrix unit reads the upper 19 bits: sign, 8 bits of exponent, 10 of fraction.
    Xf32,
    /// IEEE binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
    /// E4M3 of gfx942 ("FNUZ": finite, one zero): bias 8, `0x80` is the only NaN, no infinity and no negative zero.
    Fp8,
    /// E5M2 of gfx942 ("FNUZ"): bias 16, otherwise as [`Fp8`](ElementType::Fp8).
    Bf8,
    /// Signed bytes.
    I8,
    /// Signed 32-bit integers, of C and D.
    I32,
}

/// What every NaN result of single precision is. Which one the chips give is not known; the models of microsoft/MMA-Sim give this
/// one, and their comparisons with silicon accept any.
pub const NAN_F32: u32 = 0x7fff_ffff;
/// What every NaN result of double precision is, formed like [`NAN_F32`].
pub const NAN_F64: u64 = 0x7fff_ffff_ffff_ffff;

/// The kind of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A finite number, zeros included.
    Finite,
    /// An infinity.
    Infinite,
    /// Not a number.
    Nan,
}

/// A number of at most single precision: `±significand · 2^lsb`.
///
/// ```
/// use wavetank_matrix::{ElementType, Number};
///
/// let half = Number::decode(ElementType::F16, 0x3800);
/// assert_eq!((half.significand, half.lsb, half.exponent), (1 << 10, -11, -1));
/// let denormal = Number::decode(ElementType::F16, 0x0001);
/// assert_eq!((denormal.significand, denormal.lsb, denormal.exponent), (1, -24, -14));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// The kind. The other fields are those of zero unless it is finite.
    pub class: Class,
    /// The sign.
    pub negative: bool,
    /// The magnitude in units of `2^lsb`, with the hidden bit.
    pub significand: u32,
    /// The exponent of the lowest bit of the significand.
    pub lsb: i32,
    /// The exponent of the encoding; denormals and zeros have the smallest of their format.
    pub exponent: i32,
}

/// The fields of a binary format.
struct Format {
    fraction_bits: u32,
    exponent_bits: u32,
    bias: i32,
    /// Whether the format is finite with one zero: an exponent of ones is an ordinary one, and the pattern of negative zero is NaN.
    fnuz: bool,
}

impl ElementType {
    /// Returns the name, as the names of instructions have it: `bf16`.
    pub const fn name(self) -> &'static str {
        match self {
            ElementType::F64 => "f64",
            ElementType::F32 => "f32",
            ElementType::Xf32 => "xf32",
            ElementType::F16 => "f16",
            ElementType::Bf16 => "bf16",
            ElementType::Fp8 => "fp8",
            ElementType::Bf8 => "bf8",
            ElementType::I8 => "i8",
            ElementType::I32 => "i32",
        }
    }

    /// Returns the size in bits.
    pub const fn bits(self) -> u32 {
        match self {
            ElementType::F64 => 64,
            ElementType::F32 | ElementType::Xf32 | ElementType::I32 => 32,
            ElementType::F16 | ElementType::Bf16 => 16,
            ElementType::Fp8 | ElementType::Bf8 | ElementType::I8 => 8,
        }
    }

    /// The format of a float of at most single precision.
    fn format(self) -> Format {
        let (fraction_bits, exponent_bits, bias) = match self {
            ElementType::F16 => (10, 5, 15),
            ElementType::Bf16 => (7, 8, 127),
            ElementType::Fp8 => (3, 4, 8),
            ElementType::Bf8 => (2, 5, 16),
            _ => (23, 8, 127),
        };
        Format {
            fraction_bits,
            exponent_bits,
            bias,
            fnuz: matches!(self, ElementType::Fp8 | ElementType::Bf8),
        }
    }
}

impl Number {
    /// Decodes the low bits of a word as a float of at most single precision; any other type is read as single.
    pub fn decode(element: ElementType, bits: u32) -> Number {
        let format = element.format();
        let mut fraction = bits & ((1 << format.fraction_bits) - 1);
        if element == ElementType::Xf32 {
            fraction &= !0x1fff;
        }
        let ones = (1 << format.exponent_bits) - 1;
        let field = bits >> format.fraction_bits & ones;
        let negative = bits >> (format.fraction_bits + format.exponent_bits) & 1 != 0;
        let exponent = field.max(1).cast_signed() - format.bias;
        let finite = Number {
            class: Class::Finite,
            negative,
            significand: fraction | u32::from(field != 0) << format.fraction_bits,
            lsb: exponent - format.fraction_bits.cast_signed(),
            exponent,
        };
        let class = match (format.fnuz, field == ones, fraction) {
            (true, ..) if negative && field == 0 && fraction == 0 => Class::Nan,
            (true, ..) | (false, false, _) => return finite,
            (false, true, 0) => Class::Infinite,
            (false, true, _) => Class::Nan,
        };
        Number {
            class,
            significand: 0,
            ..finite
        }
    }

    /// Whether this is a zero of either sign.
    pub fn is_zero(&self) -> bool {
        self.class == Class::Finite && self.significand == 0
    }

    /// The value in single precision, which holds every number of these formats.
    pub fn to_f32(&self) -> f32 {
        let magnitude = match self.class {
            Class::Nan => return f32::from_bits(NAN_F32),
            Class::Infinite => f32::INFINITY,
            Class::Finite => f32::from_bits(round_to_f32(false, self.significand.into(), self.lsb)),
        };
        if self.negative { -magnitude } else { magnitude }
    }
}

/// Rounds `±magnitude · 2^lsb` to the nearest single, ties to even, denormals kept, and returns its bits.
///
/// ```
/// # use wavetank_matrix::round_to_f32;
/// assert_eq!(round_to_f32(true, 3, -1), (-1.5f32).to_bits());
/// assert_eq!(round_to_f32(false, (1 << 25) + 2, 0), (33554432.0f32).to_bits());
/// assert_eq!(round_to_f32(false, 1, 128), f32::INFINITY.to_bits());
/// ```
pub fn round_to_f32(negative: bool, magnitude: u128, lsb: i32) -> u32 {
    let sign = u32::from(negative) << 31;
    if magnitude == 0 {
        return sign;
    }
    let top = 127 - magnitude.leading_zeros().cast_signed() + lsb;
    if top > 127 {
        return sign | f32::INFINITY.to_bits();
    }
    // The exponent of the last bit that the result keeps.
    let unit = top.max(-126) - 23;
    let drop = unit - lsb;
    let kept = if drop <= 0 {
        magnitude << -drop
    } else if drop > 127 {
        // Less than half of the smallest denormal.
        0
    } else {
        let (kept, rest) = (magnitude >> drop, magnitude & ((1 << drop) - 1));
        let half = 1u128 << (drop - 1);
        kept + u128::from(rest > half || (rest == half && kept & 1 != 0))
    };
    // A carry out of the fraction adds one to the exponent, up to infinity; the hidden bit does so for a normal number.
    let exponent = (unit + 149).cast_unsigned();
    sign | ((exponent << 23) + kept as u32)
}
