//! Data formats of buffers (Vega ISA, 8.1.3 "Buffer Data", 8.1.2 DFMT and NFMT) and of images. The numbers of the formats that
//! only images have are those of Mesa's descriptors (docs/reference/errata.md, "Images").
//!
//! The names of the formats list the widths from the highest bits down: 2_10_10_10 has x in bits 9:0 and w in bits 31:30.

use std::sync::LazyLock;

use crate::block::{Block, Part};
use crate::global;

/// The format of an element: its layout and its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of x, y, z and w; 0 for absent components.
    widths: [u32; 4],
    /// Bytes of an element.
    bytes: u32,
    pub(crate) number: Number,
    /// Whether components are biased: half of their range stands for 0.
    biased: bool,
    packing: Packing,
}

/// The arrangement of the texels in an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Packing {
    /// One texel, with a field for each component.
    Fields,
    /// One texel of three numbers with a common exponent (5_9_9_9).
    SharedExponent,
    /// Two texels in a row, of 8 bits a component, with a common x and a common z. The number is the first bit of the first y.
    Pair(u32),
    /// Four rows of four texels, compressed.
    Block(Block),
    /// The fragment numbers of a texel's samples (FMASK): the number of samples, and the bits of each.
    Fragments([u32; 2]),
}

/// The formats of FMASK: bytes of an element, samples, and bits of a sample. With one bit, a sample is one of two fragments; with
/// two bits or four, one value stands for no fragment.
const FMASKS: [(u32, [u32; 2]); 13] = [
    (1, [2, 1]),
    (1, [4, 1]),
    (1, [8, 1]),
    (1, [2, 1]),
    (1, [4, 2]),
    (1, [4, 2]),
    (2, [16, 1]),
    (2, [8, 2]),
    (4, [16, 2]),
    (4, [8, 4]),
    (4, [8, 4]),
    (8, [16, 4]),
    (8, [16, 4]),
];

/// Bits of a sample in the value that is loaded from FMASK.
const LOADED: u32 = 4;

/// The extent of an element with several texels, as powers of two: texels in a row, and rows.
pub type Extent = [u32; 2];

/// The number format: the meaning of a component's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Unorm,
    Snorm,
    /// A signed fraction without a zero: (2 · n + 1) / (2^bits - 1).
    SnormOgl,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
    /// As unorm, with sRGB's curve for the first three components.
    Srgb,
}

impl Format {
    /// Returns the format of an image: a buffer format, or one of those that only images have.
    pub fn image(data: u8, number: u8) -> Option<Self> {
        let (number, biased) = match number {
            6 => (Number::SnormOgl, false),
            9 => (Number::Srgb, false),
            10 => (Number::Snorm, true),
            11 => (Number::SnormOgl, true),
            12 => (Number::Sint, true),
            13 => (Number::Sscaled, true),
            _ => (Format::new(1, number)?.number, false),
        };
        if let Some(block) = Block::new(data) {
            return Format::compressed(block, number, biased);
        }
        let fields = |widths| (widths, Packing::Fields);
        let (widths, packing) = match data {
            16 => fields([5, 6, 5, 0]),
            17 => fields([5, 5, 5, 1]),
            18 => fields([1, 5, 5, 5]),
            19 => fields([4, 4, 4, 4]),
            20 => fields([24, 8, 0, 0]),
            21 => fields([8, 24, 0, 0]),
            // The 24 bits above are unused.
            22 => fields([32, 8, 0, 0]),
            32 => ([8, 8, 8, 0], Packing::Pair(8)),
            33 => ([8, 8, 8, 0], Packing::Pair(0)),
            34 => ([9, 9, 9, 0], Packing::SharedExponent),
            57 => fields([4, 4, 0, 0]),
            58 => fields([5, 5, 6, 0]),
            _ => fields(Format::new(data, 0)?.widths),
        };
        let bytes = match (data, packing) {
            (22, _) => 8,
            (_, Packing::Fields) => widths.iter().sum::<u32>() / 8,
            _ => 4,
        };
        Some(Format {
            widths,
            bytes,
            number,
            biased,
            packing,
        })
    }

    /// Returns a format of FMASK by its number.
    pub fn fmask(number: u8) -> Option<Self> {
        let (bytes, samples) = *FMASKS.get(usize::from(number))?;
        Some(Format {
            widths: [0; 4],
            bytes,
            number: Number::Uint,
            biased: false,
            packing: Packing::Fragments(samples),
        })
    }

    /// Returns the format of compressed blocks: numbers from 0 to 1, in sRGB or with a sign if the block format allows it.
    fn compressed(block: Block, number: Number, biased: bool) -> Option<Self> {
        use Block::*;
        let is_known = match number {
            Number::Unorm => true,
            Number::Srgb => matches!(block, Bc1 | Bc2 | Bc3 | Bc7),
            Number::Snorm => matches!(block, Bc4 | Bc5 | Bc6) && !biased,
            _ => false,
        };
        is_known.then_some(Format {
            widths: [0; 4],
            bytes: block.bytes(),
            number,
            biased,
            packing: Packing::Block(block),
        })
    }

    /// Returns whether the components are integers, which a filter cannot mix.
    #[inline]
    pub fn is_integer(self) -> bool {
        matches!(self.number, Number::Uint | Number::Sint)
    }

    /// Returns the format of two numbers; `None` if they are invalid or reserved.
    pub fn new(data: u8, number: u8) -> Option<Self> {
        let widths = match data {
            1 => [8, 0, 0, 0],
            2 => [16, 0, 0, 0],
            3 => [8, 8, 0, 0],
            4 => [32, 0, 0, 0],
            5 => [16, 16, 0, 0],
            6 => [11, 11, 10, 0],
            7 => [10, 11, 11, 0],
            8 => [2, 10, 10, 10],
            9 => [10, 10, 10, 2],
            10 => [8, 8, 8, 8],
            11 => [32, 32, 0, 0],
            12 => [16, 16, 16, 16],
            13 => [32, 32, 32, 0],
            14 => [32, 32, 32, 32],
            _ => return None,
        };
        let number = match number {
            0 => Number::Unorm,
            1 => Number::Snorm,
            2 => Number::Uscaled,
            3 => Number::Sscaled,
            4 => Number::Uint,
            5 => Number::Sint,
            7 => Number::Float,
            _ => return None,
        };
        Some(Format {
            widths,
            bytes: widths.iter().sum::<u32>() / 8,
            number,
            biased: false,
            packing: Packing::Fields,
        })
    }

    /// Bytes of an element.
    #[inline]
    pub fn bytes(self) -> u32 {
        self.bytes
    }

    /// Returns the extent of an element in texels.
    #[inline]
    pub fn extent(self) -> Extent {
        match self.packing {
            Packing::Fields | Packing::SharedExponent | Packing::Fragments(_) => [0, 0],
            Packing::Pair(_) => [1, 0],
            Packing::Block(_) => [2, 2],
        }
    }

    /// Returns whether an element is one texel with a field for each component.
    #[inline]
    pub fn has_fields(self) -> bool {
        self.packing == Packing::Fields
    }

    /// Treats normalized components as sRGB; leaves other formats as they are.
    #[inline]
    pub fn degamma(self) -> Self {
        let number = match (self.number, self.biased) {
            (Number::Unorm, false) => Number::Srgb,
            (number, _) => number,
        };
        Format { number, ..self }
    }

    /// Returns the element that a store of four registers leaves, by the selects of a resource (8.1.8); components without a
    /// register are 0.
    pub fn element(self, select: [u8; 4], registers: [u32; 4]) -> u128 {
        self.pack(unselect(select, registers))
    }

    /// Returns the value 1 in this format's registers.
    #[inline]
    pub fn one(self) -> u32 {
        match self.number {
            Number::Uint | Number::Sint => 1,
            _ => 1.0f32.to_bits(),
        }
    }

    /// Returns the components that exist: number format, first bit and width. No component crosses a dword boundary.
    #[inline(always)]
    pub(crate) fn parts(self) -> impl Iterator<Item = (usize, (Number, u32, u32))> {
        let mut at = 0;
        (0..4)
            .map(move |n| {
                let (first, width) = (at, self.widths[n]);
                at += width;
                (n, (self.number.of(n), first, width))
            })
            .filter(|(_, (.., width))| *width != 0)
    }

    /// Returns the bit that a bias inverts in a component of `width` bits.
    #[inline(always)]
    pub(crate) fn bias(self, width: u32) -> u32 {
        u32::from(self.biased) << (width - 1)
    }

    /// Returns the components of an element; absent ones are 0. Of several texels, the first is decoded.
    #[cfg(test)]
    pub(crate) fn unpack(self, element: u128) -> [u32; 4] {
        self.texel(element, 0)
    }

    /// Returns the components of texel `n` of an element, counted row by row; absent ones are 0.
    #[inline]
    pub fn texel(self, element: u128, n: u32) -> [u32; 4] {
        let low = element as u32;
        match self.packing {
            Packing::Fields => self.fields(element),
            Packing::SharedExponent => shared::decode(low),
            Packing::Fragments([samples, bits]) => {
                let fragments = spaced(element, samples, [bits, LOADED]);
                [fragments as u32, (fragments >> 32) as u32, 0, 0]
            }
            Packing::Pair(y) => {
                let x = 8 - y;
                let part = |at: u32| self.number.decode(low >> at & 0xff ^ self.bias(8), 8);
                [part(x), part(y + 16 * n), part(x + 16), 0]
            }
            Packing::Block(block) => {
                let parts = block.texel(element, n, self.number == Number::Snorm);
                std::array::from_fn(|n| self.number.of(n).part(parts[n]))
            }
        }
    }

    /// Returns the components of an element that has a field for each.
    #[inline]
    fn fields(self, element: u128) -> [u32; 4] {
        let mut components = [0; 4];
        for (n, (number, at, width)) in self.parts() {
            let raw = (element >> at) as u32;
            components[n] = match width {
                32 => raw,
                _ => number.decode(raw & ((1 << width) - 1) ^ self.bias(width), width),
            };
        }
        components
    }

    /// Returns whether elements can be packed from components: not if they have several texels.
    #[inline]
    pub fn is_written(self) -> bool {
        self.extent() == [0, 0]
    }

    /// Packs components into an element.
    pub(crate) fn pack(self, components: [u32; 4]) -> u128 {
        if self.packing == Packing::SharedExponent {
            return shared::encode(components.map(f32::from_bits)).into();
        }
        if let Packing::Fragments([samples, bits]) = self.packing {
            let fragments = u128::from(components[0]) | u128::from(components[1]) << 32;
            return spaced(fragments, samples, [LOADED, bits]);
        }
        let mut element = 0;
        for (n, (number, at, width)) in self.parts() {
            let raw = match width {
                32 => components[n],
                _ => {
                    let raw = number.encode(components[n], width) & ((1 << width) - 1);
                    raw ^ self.bias(width)
                }
            };
            element |= u128::from(raw) << at;
        }
        element
    }
}

/// Repacks adjacent numbers of `from` bits into fields of `to` bits.
fn spaced(numbers: u128, count: u32, [from, to]: [u32; 2]) -> u128 {
    let least = (1 << from.min(to)) - 1;
    let number = |n: u32| (numbers >> (n * from) & least) << (n * to);
    (0..count).map(number).sum()
}

impl Number {
    /// Returns the number format of component `n`: alpha is always linear.
    #[inline(always)]
    fn of(self, n: usize) -> Number {
        match self {
            Number::Srgb if n == 3 => Number::Unorm,
            number => number,
        }
    }

    /// Decodes a component of fewer than 32 bits to a register.
    #[inline(always)]
    pub(crate) fn decode(self, raw: u32, width: u32) -> u32 {
        let signed = (raw << (32 - width)) as i32 >> (32 - width);
        let float = match self {
            Number::Uint => return raw,
            Number::Sint => return signed as u32,
            Number::Srgb if width == 8 => LINEAR[raw as usize & 0xff],
            Number::Srgb => linear_of(raw, width),
            Number::Unorm => raw as f32 / ((1 << width) - 1) as f32,
            Number::Snorm => (signed as f32 / ((1 << (width - 1)) - 1) as f32).max(-1.0),
            // Exact but for the last rounding: the quotient never lies midway between two floats.
            Number::SnormOgl => (f64::from(2 * signed + 1) / f64::from((1 << width) - 1)) as f32,
            Number::Uscaled => raw as f32,
            Number::Sscaled => signed as f32,
            Number::Float => return small_float(width).map_or(raw, |f| f.decode(raw)),
        };
        float.to_bits()
    }

    /// Converts a component of a block to a register.
    fn part(self, part: Part) -> u32 {
        match (part, self) {
            (Part::Absent, _) => 0,
            (Part::Half(bits), _) => HALF.decode(bits.into()),
            (Part::Ratio(a, b), Number::Srgb) => linear(f64::from(a) / f64::from(b)).to_bits(),
            (Part::Ratio(a, b), _) => (a as f32 / b as f32).to_bits(),
        }
    }

    /// Converts 32 bits to 16 (D16): floats are rounded to nearest, integers clamped.
    #[inline(always)]
    pub(crate) fn narrow(self, value: u32) -> u16 {
        match self {
            Number::Uint => value.min(0xffff) as u16,
            Number::Sint => (value as i32).clamp(-0x8000, 0x7fff) as u16,
            _ => HALF.encode(f32::from_bits(value)) as u16,
        }
    }

    /// Converts 16 bits to 32 (D16).
    #[inline(always)]
    pub(crate) fn widen(self, value: u16) -> u32 {
        match self {
            Number::Uint => value.into(),
            Number::Sint => value as i16 as u32,
            _ => HALF.decode(value.into()),
        }
    }

    /// Encodes a register in fewer than 32 bits: rounded to nearest even and clamped. A NaN becomes 0 in formats without NaNs.
    #[inline(always)]
    pub(crate) fn encode(self, value: u32, width: u32) -> u32 {
        let x = f32::from_bits(value);
        let unsigned = ((1u32 << width) - 1) as f32;
        let signed = ((1u32 << (width - 1)) - 1) as f32;
        match self {
            Number::Uint => value.min((1 << width) - 1),
            Number::Sint => {
                let most = (1 << (width - 1)) - 1;
                (value as i32).clamp(-most - 1, most) as u32
            }
            Number::Srgb => (nonlinear(x.clamp(0.0, 1.0)) * unsigned).round_ties_even() as u32,
            Number::Unorm => (x.clamp(0.0, 1.0) * unsigned).round_ties_even() as u32,
            Number::Snorm => (x.clamp(-1.0, 1.0) * signed).round_ties_even() as i32 as u32,
            Number::SnormOgl => {
                let twice = f64::from(x.clamp(-1.0, 1.0)) * f64::from((1u32 << width) - 1);
                ((twice - 1.0) / 2.0).round_ties_even() as i32 as u32
            }
            Number::Uscaled => x.round_ties_even().clamp(0.0, unsigned) as u32,
            Number::Sscaled => x.round_ties_even().clamp(-signed - 1.0, signed) as i32 as u32,
            Number::Float => small_float(width).map_or(value, |f| f.encode(x)),
        }
    }
}

/// Three numbers with a common exponent (EXT_texture_shared_exponent): n · 2^(exponent - 24), n of 9 bits.
mod shared {
    /// 2^(exponent - 24) for an exponent of 0 to 32.
    fn unit(exponent: i32) -> f64 {
        f64::from(exponent - 24).exp2()
    }

    /// Decodes the numbers of an element, exactly.
    pub(super) fn decode(element: u32) -> [u32; 4] {
        let unit = unit((element >> 27) as i32);
        let number = |at: u32| ((f64::from(element >> at & 0x1ff) * unit) as f32).to_bits();
        [number(0), number(9), number(18), 0]
    }

    /// Encodes an element by the extension's own steps, which round halves up. A NaN becomes 0.
    pub(super) fn encode([x, y, z, _]: [f32; 4]) -> u32 {
        const MAX: f64 = 511.0 * (1 << 7) as f64;
        let held = [x, y, z].map(|c| f64::from(c).clamp(0.0, MAX));
        let most = held.into_iter().fold(0.0, f64::max);
        // The largest number has 9 bits before the point. Below 2^-16 the smallest exponent is used.
        let first = (0..32).rev().find(|e| most >= unit(e + 8)).unwrap_or(0);
        let round = |c: f64, exponent: i32| (c / unit(exponent) + 0.5).floor() as u32;
        let exponent = first + i32::from(round(most, first) == 1 << 9);
        let [x, y, z] = held.map(|c| round(c, exponent));
        (exponent as u32) << 27 | z << 18 | y << 9 | x
    }
}

/// The linear values of sRGB components of 8 bits, the usual width.
static LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|raw| linear_of(raw as u32, 8)));

/// Returns the linear value of an sRGB component.
#[inline]
fn linear_of(raw: u32, width: u32) -> f32 {
    linear(f64::from(raw) / f64::from((1u32 << width) - 1))
}

/// Returns the linear value of an sRGB component from 0 to 1 (IEC 61966-2-1).
fn linear(x: f64) -> f32 {
    let y = if x <= 0.04045 {
        x / 12.92
    } else {
        ((x + 0.055) / 1.055).powf(2.4)
    };
    y as f32
}

/// Returns the inverse of `linear`.
fn nonlinear(x: f32) -> f32 {
    let x = f64::from(x);
    let y = if x <= 0.003_130_8 {
        x * 12.92
    } else {
        1.055 * x.powf(1.0 / 2.4) - 0.055
    };
    y as f32
}

/// A float format with an exponent of 5 bits.
#[derive(Clone, Copy)]
pub(crate) struct SmallFloat {
    mantissa: u32,
    signed: bool,
}

/// Half precision, 10 mantissa bits and a sign.
pub(crate) const HALF: SmallFloat = SmallFloat {
    mantissa: 10,
    signed: true,
};

/// Returns the bits of a half-precision number in single precision, exactly.
#[inline(always)]
pub fn single_of_half(bits: u32) -> u32 {
    HALF.decode(bits)
}

/// Returns the float format of a width: 16 bits with a sign, 11 and 10 without.
#[inline]
fn small_float(width: u32) -> Option<SmallFloat> {
    let (mantissa, signed) = match width {
        16 => (10, true),
        11 => (6, false),
        10 => (5, false),
        _ => return None,
    };
    Some(SmallFloat { mantissa, signed })
}

impl SmallFloat {
    /// Decodes to single precision, exactly.
    #[inline(always)]
    pub(crate) fn decode(self, raw: u32) -> u32 {
        let m = self.mantissa;
        let sign = if self.signed { raw >> 15 << 31 } else { 0 };
        let (exponent, mantissa) = (raw >> m & 31, raw & ((1 << m) - 1));
        let magnitude = match exponent {
            // Exact: a power of two.
            0 => (mantissa as f32 * (1.0 / (1u32 << (14 + m)) as f32)).to_bits(),
            31 => 0x7f80_0000 | mantissa << (23 - m),
            _ => (exponent + 112) << 23 | mantissa << (23 - m),
        };
        sign | magnitude
    }

    /// Encodes, rounding to nearest even; too large values become infinite, and negative ones 0 in a format without a sign.
    #[inline(always)]
    pub(crate) fn encode(self, x: f32) -> u32 {
        let m = self.mantissa;
        let infinity = 31 << m;
        let negative = x.is_sign_negative() && !x.is_nan();
        if negative && !self.signed {
            return 0;
        }
        let bits = x.abs().to_bits();
        let magnitude = if x.is_nan() {
            infinity | 1 << (m - 1)
        } else if bits < 113 << 23 {
            (x.abs() * (1u32 << (14 + m)) as f32).round_ties_even() as u32
        } else {
            let shift = 23 - m;
            let low = bits - (112 << 23);
            let even = low >> shift & 1;
            ((low + (1 << (shift - 1)) - 1 + even) >> shift).min(infinity)
        };
        let sign = u32::from(self.signed && x.is_sign_negative()) << 15;
        sign | magnitude
    }
}

/// Returns the components that a store's registers go to: the inverse of the destination selects (8.1.8).
fn unselect(select: [u8; 4], given: [u32; 4]) -> [u32; 4] {
    let mut out = [0; 4];
    for (s, value) in select.into_iter().zip(given) {
        if let 4..=7 = s {
            out[usize::from(s) - 4] = value;
        }
    }
    out
}

/// Reads an element of `bytes` bytes.
///
/// # Safety
/// The bytes have been checked. An element has 1, 2, 4, 8, 12 or 16.
#[inline]
pub unsafe fn load(address: u64, bytes: u32) -> u128 {
    // SAFETY: the caller has checked the bytes.
    unsafe {
        match bytes {
            1 => global::load::<1>(address).into(),
            2 => global::load::<2>(address).into(),
            _ => (0..bytes / 4)
                .map(|n| u128::from(global::load::<4>(address + u64::from(4 * n))) << (32 * n))
                .sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn f(x: f32) -> u32 {
        x.to_bits()
    }

    #[test]
    fn numbers_mean_what_the_manual_says() {
        let get = |data, number, element: u128| Format::new(data, number).unwrap().unpack(element);
        assert_eq!(get(1, 0, 255), [f(1.0), 0, 0, 0]);
        assert_eq!(get(1, 1, 0x80)[0], f(-1.0));
        assert_eq!(get(1, 1, 0x81)[0], f(-1.0));
        assert_eq!(get(2, 2, 0xffff)[0], f(65535.0));
        assert_eq!(get(2, 3, 0xffff)[0], f(-1.0));
        assert_eq!(get(2, 5, 0xfffe)[0], -2i32 as u32);
        assert_eq!(get(9, 4, 0xc010_0401), [1, 1, 1, 3]);
        assert_eq!(get(8, 4, 0x0040_1007), [3, 1, 1, 1]);
        // Half precision: 1, the largest, the smallest, -infinity.
        assert_eq!(
            get(12, 7, 0xfc00_0001_7bff_3c00),
            [
                f(1.0),
                f(65504.0),
                f(2.0f32.powi(-24)),
                f(f32::NEG_INFINITY)
            ]
        );
        // 11-bit floats are the upper bits of halves without their sign.
        assert_eq!(
            get(6, 7, 0x3c0 | 0x3c0 << 11 | 0x1e0 << 22),
            [f(1.0), f(1.0), f(1.0), 0]
        );
        assert_eq!(get(14, 0, 1 << 96 | 7), [7, 0, 0, 1]);
        assert_eq!(Format::new(0, 0), None);
        assert_eq!(Format::new(15, 0), None);
        assert_eq!(Format::new(4, 6), None);
    }

    #[test]
    fn stores_clamp_and_round() {
        let put = |data, number, v: u32| Format::new(data, number).unwrap().pack([v, 0, 0, 0]);
        assert_eq!(put(1, 0, f(2.0)), 255);
        assert_eq!(put(1, 0, f(f32::NAN)), 0);
        assert_eq!(put(1, 1, f(-7.0)), 0x81);
        assert_eq!(put(1, 4, 300), 255);
        assert_eq!(put(1, 5, -300i32 as u32), 0x80);
        assert_eq!(put(2, 7, f(65520.0)), 0x7c00);
        assert_eq!(put(2, 7, f(65519.0)), 0x7bff);
        assert_eq!(put(2, 7, f(-0.0)), 0x8000);
        assert_eq!(put(2, 7, f(2.0f32.powi(-25))), 0);
        assert_eq!(put(6, 7, f(-1.0)), 0);
    }

    /// Three numbers of 9 bits with an exponent; the largest is 511 · 2^7.
    #[test]
    fn shared_exponents() {
        let format = Format::image(34, 7).unwrap();
        assert_eq!(
            format.unpack(16 << 27 | 1 << 9 | 256),
            [f(1.0), f(1.0 / 256.0), 0, 0]
        );
        assert_eq!(format.unpack(0xf800_01ff)[0], f(65408.0));
        assert_eq!(format.unpack(1)[0], f(2.0f32.powi(-24)));
        let put = |x: f32| format.pack([f(x), 0, 0, 0]);
        assert_eq!(
            [put(-1.0), put(f32::NAN), put(f32::INFINITY)],
            [0, 0, 0xf800_01ff]
        );
        // 511.5 units round to 256 of the next exponent; a number too small for half a unit gives 0.
        assert_eq!(put(511.5), 25 << 27 | 256);
        assert_eq!([put(2.0f32.powi(-25)), put(2.0f32.powi(-26))], [1, 0]);
    }

    /// If each sample is a fragment of its own, drivers fill FMASK with 0x02, 0xe4 and 0x76543210 for 2, 4 and 8 samples
    /// (Mesa), and shaders find 4 bits for each.
    #[test]
    fn fragments_of_samples() {
        for (number, element, loaded) in [
            (3, 0x02, [0x10, 0]),
            (5, 0xe4, [0x3210, 0]),
            (10, 0x7654_3210, [0x7654_3210, 0]),
            (2, 0b1010_0001, [0x1010_0001, 0]),
            (8, 0xffff_0000_u128, [0, 0x3333_3333]),
            (11, 0xfedc_ba98_7654_3210, [0x7654_3210, 0xfedc_ba98]),
        ] {
            let format = Format::fmask(number).unwrap();
            let [x, y] = loaded;
            assert_eq!(format.unpack(element), [x, y, 0, 0], "{number}");
            assert_eq!(format.pack([x, y, 0, 0]), element, "{number}");
        }
        assert_eq!(Format::fmask(13), None);
    }

    /// Biased numbers, and signed ones without a zero.
    #[test]
    fn biased_numbers_and_old_ones() {
        let get = |number, element| Format::image(1, number).unwrap().unpack(element)[0];
        assert_eq!([0, 0x80, 0xff].map(|x| get(10, x)), [f(-1.0), 0, f(1.0)]);
        assert_eq!([0, 0x80, 0xff].map(|x| get(12, x) as i32), [-128, 0, 127]);
        assert_eq!([0x80, 0x7f].map(|x| get(6, x)), [f(-1.0), f(1.0)]);
        assert_eq!(get(6, 0), f(1.0 / 255.0));
        assert_eq!(
            [0, 0xff, 0x80].map(|x| get(11, x)),
            [f(-1.0), f(1.0), f(1.0 / 255.0)]
        );
    }

    proptest! {
        /// The round trip for the formats of images with one texel. (In 5_9_9_9 a number has several encodings.)
        #[test]
        fn elements_of_images_survive(data in 16u8..60, number in 0u8..14, bits: u128) {
            let format = Format::image(data, number).filter(|f| f.is_written());
            let Some(format) = format else { return Ok(()) };
            // With sRGB in 24 bits, singles cannot represent all numbers.
            prop_assume!(!(matches!(data, 20..=22) && number == 9));
            let element = bits & (!0 >> (128 - 8 * format.bytes()));
            let loaded = format.unpack(element);
            prop_assert_eq!(format.unpack(format.pack(loaded)), loaded);
        }

        /// A loaded element is stored unchanged, except NaNs and the second encoding of -1.
        #[test]
        fn elements_survive(data in 1u8..15, number in 0u8..8, bits: u128) {
            let Some(format) = Format::new(data, number) else { return Ok(()) };
            let element = bits & (!0 >> (128 - 8 * format.bytes()));
            let loaded = format.unpack(element);
            let again = format.unpack(format.pack(loaded));
            for (a, b) in loaded.into_iter().zip(again) {
                let nan = number == 7 && f32::from_bits(a).is_nan();
                prop_assert!(a == b || nan && f32::from_bits(b).is_nan());
            }
        }
    }
}
