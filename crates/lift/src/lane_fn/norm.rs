//! Floats to normalized 16-bit integers (V_CVT_PKNORM_*, V_CVT_NORM_*).

use super::lane_fn;

lane_fn! {
    /// −1 to 1 as −32767 to 32767, to nearest even; a NaN is 0.
    SNORM16, "snorm16", 32, |[x, ..]: [u64; 4]| norm(x, -1.0, 32767.0)
}
lane_fn! {
    /// 0 to 1 as 0 to 65535, to nearest even; a NaN is 0.
    UNORM16, "unorm16", 32, |[x, ..]: [u64; 4]| norm(x, 0.0, 65535.0)
}

/// The low 16 bits of `x · scale`, with x held between `low` and 1.
#[inline(always)]
fn norm(x: u64, low: f64, scale: f64) -> u32 {
    /// 1.5 · 2^52: adding it rounds to an integer, to nearest even, which then stands in the low bits.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let x = f64::from(f32::from_bits(x as u32));
    let held = if x > low { x } else { low };
    let held = if held < 1.0 { held } else { 1.0 };
    // The product is exact in double precision: 24 and 16 bits make 40.
    let rounded = (held * scale + ROUNDER).to_bits() as u32 & 0xffff;
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

    /// One half lies between two integers: the even one is taken.
    #[test]
    fn ties_to_even() {
        assert_eq!(of(&SNORM16, 0.5), 16384); // 16383.5
        assert_eq!(of(&UNORM16, 0.5), 32768); // 32767.5
    }
}
