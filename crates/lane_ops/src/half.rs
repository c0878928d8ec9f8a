//! Conversion of half to single precision and back, in integer code that is vectorized at every level.

/// 2^-14, half's smallest normal, as bits of single precision.
const SMALLEST_NORMAL: u32 = 113 << 23;

/// The difference of the biases, in single's exponent field.
const REBIAS: u32 = 112 << 23;

/// Half to single precision, exactly. The payload of a NaN moves up; a signaling NaN stays so.
#[inline(always)]
pub(crate) fn widen(a: u32) -> u32 {
    let magnitude = a & 0x7fff;
    let fields = magnitude << 13;
    // 2^-14 + denormal, minus 2^-14: the sum avoids denormals of single precision.
    let denormal =
        (f32::from_bits(fields + SMALLEST_NORMAL) - f32::from_bits(SMALLEST_NORMAL)).to_bits();
    let normal = fields + REBIAS;
    let special = normal + REBIAS;
    let r = if magnitude < 0x400 {
        denormal
    } else if magnitude >= 0x7c00 {
        special
    } else {
        normal
    };
    r | (a & 0x8000) << 16
}

/// `widen` with NaNs made quiet, like the processor's conversion.
#[inline(always)]
pub(crate) fn widen_quiet(a: u32) -> u32 {
    let is_nan = a & 0x7fff > 0x7c00;
    widen(a) | if is_nan { 1 << 22 } else { 0 }
}

/// Single to half precision, to nearest even. The payload of a NaN moves down, and the NaN becomes quiet.
#[inline(always)]
pub(crate) fn narrow_nearest(a: u32) -> u32 {
    let magnitude = a & 0x7fff_ffff;
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_sub(REBIAS).wrapping_add(0xfff + odd) >> 13;
    // For ½ ≤ x < 1, the last place of single precision is that of a half's denormals, so the sum rounds to it.
    let denormal = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0.5f32.to_bits());
    pack(a, normal, denormal, 0x7c00)
}

/// Single to half precision with a rounding of `Env::round`.
#[inline(always)]
pub(crate) fn narrow(round: u32, a: u32) -> u32 {
    if round == 0 {
        narrow_nearest(a)
    } else {
        narrow_directed(round, a)
    }
}

#[inline(always)]
fn narrow_directed(round: u32, a: u32) -> u32 {
    let magnitude = a & 0x7fff_ffff;
    let negative = a >> 31;
    let away = (round == 1 && negative == 0) | (round == 2 && negative == 1);
    let up = |rest: u32| if away { rest } else { 0 };
    let normal = magnitude.wrapping_sub(REBIAS).wrapping_add(up(0x1fff)) >> 13;
    let shift = 126u32.wrapping_sub(magnitude >> 23).min(31);
    let significand = (magnitude & 0x7f_ffff) | u32::from(magnitude != 0) << 23;
    let denormal = significand.wrapping_add(up((1u32 << shift) - 1)) >> shift;
    let overflow = if away { 0x7c00 } else { 0x7bff };
    pack(a, normal, denormal, overflow)
}

/// Selects the result for the range of the magnitude, and adds the sign.
#[inline(always)]
fn pack(a: u32, normal: u32, denormal: u32, overflow: u32) -> u32 {
    let magnitude = a & 0x7fff_ffff;
    let r = if magnitude < SMALLEST_NORMAL {
        denormal
    } else {
        normal
    };
    let r = if magnitude >= 143 << 23 { overflow } else { r };
    let r = if magnitude == 255 << 23 { 0x7c00 } else { r };
    let nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
    let r = if magnitude > 255 << 23 { nan } else { r };
    r | (a >> 16 & 0x8000)
}
