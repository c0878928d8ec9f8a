//! Floats to normalized 16-bit integers (V_CVT_PKNORM_*, V_CVT_NORM_*).

use super::lane_fn;

lane_fn! {
    /// −1 to 1 as −32767 to 32767, to nearest even; a NaN is 0.
    SNORM16, "snorm16", 32, |[x, ..]: [u64; 4]| signed(x)
}
lane_fn! {
    /// 0 to 1 as 0 to 65535, to nearest even; a NaN is 0.
    UNORM16, "unorm16", 32, |[x, ..]: [u64; 4]| unsigned(x)
}
lane_fn! {
    /// `SNORM16` of two numbers, the first in the low half.
    PK_SNORM16, "pk_snorm16", 32, |[x, y, ..]: [u64; 4]| signed(x) | signed(y) << 16
}
lane_fn! {
    /// `UNORM16` of two numbers, the first in the low half.
    PK_UNORM16, "pk_unorm16", 32, |[x, y, ..]: [u64; 4]| unsigned(x) | unsigned(y) << 16
}

#[inline(always)]
fn signed(x: u64) -> u32 {
    norm(x, -1.0, 32767.0)
}

#[inline(always)]
fn unsigned(x: u64) -> u32 {
    norm(x, 0.0, 65535.0)
}

/// The low 16 bits of `x · scale`, with x clamped between `low` and 1.
#[inline(always)]
fn norm(x: u64, low: f32, scale: f32) -> u32 {
    /// 1.5 · 2^23: adding it rounds to an integer, to nearest even, which is then in the low bits. The fused sum rounds the exact
    /// product.
    const ROUNDER: f32 = 12_582_912.0;
    let x = f32::from_bits(x as u32);
    let held = if x > low { x } else { low };
    let held = if held < 1.0 { held } else { 1.0 };
    let rounded = held.mul_add(scale, ROUNDER).to_bits() & 0xffff;
    if x.is_nan() { 0 } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(f: &wavetank_ir::LaneFn, x: f32) -> u64 {
        (f.call)([x.to_bits().into(), 0, 0, 0]).0
    }

    /// The definition of SNORM and UNORM: end points, saturation, NaN.
    #[test]
    fn ends() {
        assert_eq!(
            [-2.0, -1.0, 0.0, 1.0, 2.0].map(|x| of(&SNORM16, x)),
            [0x8001, 0x8001, 0, 0x7fff, 0x7fff]
        );
        assert_eq!(
            [-2.0, -0.5, 0.0, 1.0, 2.0].map(|x| of(&UNORM16, x)),
            [0, 0, 0, 0xffff, 0xffff]
        );
        assert_eq!([of(&SNORM16, f32::NAN), of(&UNORM16, f32::NAN)], [0, 0]);
    }

    /// One half is midway between two integers: the even one is chosen.
    #[test]
    fn ties_to_even() {
        assert_eq!(of(&SNORM16, 0.5), 16384); // 16383.5
        assert_eq!(of(&UNORM16, 0.5), 32768); // 32767.5
    }

    /// The results agree with double precision, in which products are exact, at every size and next to all ties.
    #[test]
    fn as_with_exact_products() {
        let exact = |x: f32, low: f64, scale: f64| {
            let held = f64::from(x).clamp(low, 1.0);
            u64::from((held * scale).round_ties_even() as i32 as u32 & 0xffff)
        };
        let near = |bits: u32| [bits.wrapping_sub(1), bits, bits + 1];
        let ties = (0..65536).map(|n| ((n as f64 + 0.5) / 65535.0) as f32);
        let all = (0..1 << 12).map(|n| f32::from_bits(n << 20));
        for x in ties.chain(all).flat_map(|x| near(x.to_bits())) {
            for x in [x, x ^ 1 << 31]
                .map(f32::from_bits)
                .into_iter()
                .filter(|x| !x.is_nan())
            {
                assert_eq!(of(&SNORM16, x), exact(x, -1.0, 32767.0), "{x}");
                assert_eq!(of(&UNORM16, x), exact(x, 0.0, 65535.0), "{x}");
            }
        }
        let bits = |x: f32| u64::from(x.to_bits());
        assert_eq!(
            (PK_SNORM16.call)([bits(1.0), bits(-1.0), 0, 0]).0,
            0x8001_7fff
        );
        assert_eq!((PK_UNORM16.call)([bits(1.0), bits(-1.0), 0, 0]).0, 0xffff);
    }
}
