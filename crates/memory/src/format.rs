//! Data formats of buffers (Vega ISA, 8.1.3 "Buffer Data", 8.1.2 DFMT and
//! NFMT).
//!
//! The names of the formats list the widths from the highest bits down:
//! 2_10_10_10 has x in bits 9:0 and w in bits 31:30.

use wavetank_ir::{Half, MemKind};

use crate::access::{Context, Request};
use crate::global;
use crate::lanes::each;
use crate::places::Far;
use crate::space::buffer::Site;
use crate::taps::Tap;
use crate::unit::Denied;

/// The layout and the numbers of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of x, y, z and w; 0 for those that are absent.
    widths: [u32; 4],
    pub(crate) number: Number,
}

/// What the bits of a component mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
    /// Unorm, not linear but for the fourth component.
    Srgb,
}

impl Format {
    /// The format of an image: those of buffers, and a few more.
    pub fn image(data: u8, number: u8) -> Option<Self> {
        let widths = match data {
            16 => [5, 6, 5, 0],
            17 => [5, 5, 5, 1],
            18 => [1, 5, 5, 5],
            19 => [4, 4, 4, 4],
            20 => [24, 8, 0, 0],
            21 => [8, 24, 0, 0],
            _ => Format::new(data, 0)?.widths,
        };
        let number = match number {
            9 => Number::Srgb,
            _ => Format::new(1, number)?.number,
        };
        Some(Format { widths, number })
    }

    /// Whether its components are integers, which cannot be mixed.
    pub fn is_integer(self) -> bool {
        matches!(self.number, Number::Uint | Number::Sint)
    }

    /// The format by its numbers; `None` if they are invalid or reserved.
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
        Some(Format { widths, number })
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        self.widths.iter().sum::<u32>() / 8
    }

    /// One, as this format gives it.
    pub(crate) fn one(self) -> u32 {
        match self.number {
            Number::Uint | Number::Sint => 1,
            _ => 1.0f32.to_bits(),
        }
    }

    /// The components of an element; those it lacks are 0.
    pub(crate) fn unpack(self, element: u128) -> [u32; 4] {
        let mut at = 0;
        std::array::from_fn(|n| {
            let width = self.widths[n];
            let raw = (element >> at) as u32;
            at += width;
            match width {
                0 => 0,
                32 => raw,
                _ => self.number.of(n).decode(raw & ((1 << width) - 1), width),
            }
        })
    }

    /// The element of components.
    pub(crate) fn pack(self, components: [u32; 4]) -> u128 {
        let (mut at, mut element) = (0, 0);
        for (n, (value, width)) in components.into_iter().zip(self.widths).enumerate() {
            let raw = match width {
                0 => 0,
                32 => value,
                _ => self.number.of(n).encode(value, width) & ((1 << width) - 1),
            };
            element |= u128::from(raw) << at;
            at += width;
        }
        element
    }
}

impl Number {
    /// That of component `n`: alpha is always linear.
    fn of(self, n: usize) -> Number {
        match self {
            Number::Srgb if n == 3 => Number::Unorm,
            number => number,
        }
    }

    /// A register from fewer than 32 bits.
    fn decode(self, raw: u32, width: u32) -> u32 {
        let signed = (raw << (32 - width)) as i32 >> (32 - width);
        let float = match self {
            Number::Uint => return raw,
            Number::Sint => return signed as u32,
            Number::Srgb => linear(f64::from(raw) / f64::from((1u32 << width) - 1)),
            Number::Unorm => raw as f32 / ((1 << width) - 1) as f32,
            Number::Snorm => (signed as f32 / ((1 << (width - 1)) - 1) as f32).max(-1.0),
            Number::Uscaled => raw as f32,
            Number::Sscaled => signed as f32,
            Number::Float => return small_float(width).map_or(raw, |f| f.decode(raw)),
        };
        float.to_bits()
    }

    /// 32 bits as 16 (D16): floats to nearest, integers kept within the range.
    fn narrow(self, value: u32) -> u16 {
        match self {
            Number::Uint => value.min(0xffff) as u16,
            Number::Sint => (value as i32).clamp(-0x8000, 0x7fff) as u16,
            _ => HALF.encode(f32::from_bits(value)) as u16,
        }
    }

    /// 16 bits as 32 (D16).
    fn widen(self, value: u16) -> u32 {
        match self {
            Number::Uint => value.into(),
            Number::Sint => value as i16 as u32,
            _ => HALF.decode(value.into()),
        }
    }

    /// Fewer than 32 bits from a register: rounded to nearest even and kept
    /// within the range. A NaN becomes 0 where there is none.
    fn encode(self, value: u32, width: u32) -> u32 {
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
            Number::Uscaled => x.round_ties_even().clamp(0.0, unsigned) as u32,
            Number::Sscaled => x.round_ties_even().clamp(-signed - 1.0, signed) as i32 as u32,
            Number::Float => small_float(width).map_or(value, |f| f.encode(x)),
        }
    }
}

/// The linear value of an sRGB component (IEC 61966-2-1).
fn linear(x: f64) -> f32 {
    let y = if x <= 0.04045 {
        x / 12.92
    } else {
        ((x + 0.055) / 1.055).powf(2.4)
    };
    y as f32
}

/// The inverse of `linear`.
fn nonlinear(x: f32) -> f32 {
    let x = f64::from(x);
    let y = if x <= 0.003_130_8 {
        x * 12.92
    } else {
        1.055 * x.powf(1.0 / 2.4) - 0.055
    };
    y as f32
}

/// A float with 5 bits of exponent.
#[derive(Clone, Copy)]
pub(crate) struct SmallFloat {
    mantissa: u32,
    signed: bool,
}

/// Half precision.
pub(crate) const HALF: SmallFloat = SmallFloat {
    mantissa: 10,
    signed: true,
};

/// The float of a width: 16 bits with a sign, 11 and 10 without.
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
    /// Single precision, exactly.
    pub(crate) fn decode(self, raw: u32) -> u32 {
        let m = self.mantissa;
        let sign = if self.signed { raw >> 15 << 31 } else { 0 };
        let (exponent, mantissa) = (raw >> m & 31, raw & ((1 << m) - 1));
        let magnitude = match exponent {
            0 => (mantissa as f32 / (1u32 << (14 + m)) as f32).to_bits(),
            31 => 0x7f80_0000 | mantissa << (23 - m),
            _ => (exponent + 112) << 23 | mantissa << (23 - m),
        };
        sign | magnitude
    }

    /// To nearest even; what is too large becomes infinite, and what is
    /// negative 0 where there is no sign.
    fn encode(self, x: f32) -> u32 {
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

/// A load or store with conversion, of `access` dwords as components. Range
/// checks are all or nothing. With `TAP` it notes what is touched.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it.
pub unsafe fn access<const TAP: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
) -> Result<(), Denied> {
    // SAFETY: the wave is live.
    let site = unsafe { Site::new(ctx, step) };
    let d = site.descriptor;
    let format = Format::new(d.data_format, d.num_format);
    let (mut address, valid) = site.lanes(1);
    let bytes = format.map_or(0, Format::bytes);
    let stores = step.op.kind != MemKind::Load;
    // A format that is reserved is like one that is unbound.
    let inside = if format.is_some() { mask & valid[0] } else { 0 };
    site.align(ctx.memory.alignment, inside, bytes, &mut address)?;
    if inside != 0 {
        site.check(ctx, step.cache, inside, (bytes, stores), &address)?;
        if TAP {
            Tap::new(ctx.memory, step).lanes(&Far(address), inside, bytes);
        }
    }
    let components = Components::new(ctx, step, format.map(|f| f.number));
    each(mask, |lane| {
        let there = inside >> lane & 1 != 0;
        let place = address[lane & 63];
        // SAFETY: the registers are in the file; the element was checked.
        unsafe {
            match format {
                Some(f) if stores => {
                    if there {
                        let given = components.read(lane);
                        store(place, f.pack(unselect(d.select, given)), bytes);
                    }
                }
                None if stores => {}
                _ => {
                    let element = if there { load(place, bytes) } else { 0 };
                    let found = format.map_or([0; 4], |f| f.unpack(element));
                    let one = format.map_or(0, Format::one);
                    components.write(lane, d.select.map(|s| select(s, found, one)));
                }
            }
        }
    });
    Ok(())
}

/// Where the components of an access come from, or go to.
pub(crate) struct Components {
    from: [*const u32; 4],
    to: *mut u32,
    count: usize,
    /// Whole registers, or 16 bits: two a register, or one in the high half.
    half: Half,
    number: Number,
}

impl Components {
    /// As many as the access has dwords.
    pub fn new(ctx: &Context<'_, '_>, step: &Request, number: Option<Number>) -> Self {
        Components {
            from: std::array::from_fn(|n| ctx.data(step, n)),
            to: ctx.v(step.ret),
            count: (step.op.access.bytes() as usize / 4).min(4),
            half: step.op.half,
            number: number.unwrap_or(Number::Float),
        }
    }

    /// The components of a lane; 0 for those that there are not.
    ///
    /// # Safety
    /// The wave is alive, and the lane below 64.
    pub unsafe fn read(&self, lane: usize) -> [u32; 4] {
        // SAFETY: the lane vectors are in the file.
        let register = |n: usize| unsafe { self.from[n].add(lane).read() };
        std::array::from_fn(|n| match self.half {
            _ if n >= self.count => 0,
            Half::Whole => register(n),
            Half::Low => self
                .number
                .widen((register(n / 2) >> (16 * (n % 2))) as u16),
            Half::High => self.number.widen((register(0) >> 16) as u16),
        })
    }

    /// Writes the components of a lane.
    ///
    /// # Safety
    /// As for [`Components::read`].
    pub unsafe fn write(&self, lane: usize, components: [u32; 4]) {
        for (n, value) in components.into_iter().enumerate().take(self.count) {
            // SAFETY: the registers are in the file.
            unsafe {
                let register = |n: usize| self.to.add(n * 64 + lane);
                let half = || u32::from(self.number.narrow(value));
                match self.half {
                    Half::Whole => register(n).write(value),
                    Half::Low if n % 2 == 0 && n + 1 < self.count => register(n / 2).write(half()),
                    Half::Low if n % 2 == 0 => {
                        let to = register(n / 2);
                        to.write(to.read() & 0xffff_0000 | half());
                    }
                    Half::Low => {
                        let to = register(n / 2);
                        to.write(to.read() & 0xffff | half() << 16);
                    }
                    Half::High => {
                        let to = register(0);
                        to.write(to.read() & 0xffff | half() << 16);
                    }
                }
            }
        }
    }
}

/// What a destination select takes (8.1.8: 0, 1, R, G, B or A).
pub(crate) fn select(select: u8, components: [u32; 4], one: u32) -> u32 {
    match select {
        1 => one,
        4..=7 => components[usize::from(select) - 4],
        _ => 0,
    }
}

/// The components that a store's registers go to: the inverse of the select.
pub(crate) fn unselect(select: [u8; 4], given: [u32; 4]) -> [u32; 4] {
    let mut out = [0; 4];
    for (s, value) in select.into_iter().zip(given) {
        if let 4..=7 = s {
            out[usize::from(s) - 4] = value;
        }
    }
    out
}

/// Reads an element.
pub(crate) unsafe fn load(address: u64, bytes: u32) -> u128 {
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

/// Writes an element.
pub(crate) unsafe fn store(address: u64, element: u128, bytes: u32) {
    // SAFETY: the caller has checked the bytes.
    unsafe {
        match bytes {
            1 => global::store::<1>(address, element as u64),
            2 => global::store::<2>(address, element as u64),
            _ => {
                for n in 0..bytes / 4 {
                    let dword = (element >> (32 * n)) as u32;
                    global::store::<4>(address + u64::from(4 * n), dword.into());
                }
            }
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

    proptest! {
        /// What can be loaded is stored as it was, but for NaNs and the second
        /// name of -1.
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
