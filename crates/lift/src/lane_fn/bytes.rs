//! Bytes packed in words: four sums of absolute differences at once, saturation and dot products (Vega ISA, 12.10 VOP3 and 12.11
//! VOP3P).

use super::lane_fn;

lane_fn! {
    /// Four V_SAD_U8 at successive bytes of S0, each added to 16 bits of S2.
    QSAD_PK_U16_U8, "qsad_pk_u16_u8", 64, |args| quad_sad(args, false)
}
lane_fn! {
    /// Four V_MSAD_U8 at successive bytes of S0, each added to 16 bits of S2.
    MQSAD_PK_U16_U8, "mqsad_pk_u16_u8", 64, |args| quad_sad(args, true)
}
lane_fn! {
    /// Two signed words saturated to unsigned bytes.
    SAT_PK_U8_I16, "sat_pk_u8_i16", 32, sat_pk
}
lane_fn! {
    /// The exact sum of four products of signed bytes.
    DOT4_I8, "dot4_i8", 32, |[a, b, ..]: [u64; 4]| dot_signed::<8>(a, b)
}
lane_fn! {
    /// The exact sum of four products of unsigned bytes.
    DOT4_U8, "dot4_u8", 32, |[a, b, ..]: [u64; 4]| dot_unsigned::<8>(a, b)
}
lane_fn! {
    /// The exact sum of eight products of signed nibbles.
    DOT8_I4, "dot8_i4", 32, |[a, b, ..]: [u64; 4]| dot_signed::<4>(a, b)
}
lane_fn! {
    /// The exact sum of eight products of unsigned nibbles.
    DOT8_U4, "dot8_u4", 32, |[a, b, ..]: [u64; 4]| dot_unsigned::<4>(a, b)
}

/// The sum of the absolute differences of four bytes; `masked` skips those where b is 0.
#[inline(always)]
fn sad(a: u32, b: u32, masked: bool) -> u32 {
    let difference = |byte: u32| {
        let [x, y] = [a, b].map(|s| (s >> (8 * byte) & 0xff) as i32);
        if masked && y == 0 {
            0
        } else {
            (x - y).unsigned_abs()
        }
    };
    difference(0) + difference(1) + difference(2) + difference(3)
}

#[inline(always)]
fn quad_sad([a, b, c, _]: [u64; 4], masked: bool) -> u64 {
    let total = |i: u32| {
        let sum = sad((a >> (8 * i)) as u32, b as u32, masked);
        u64::from(((c >> (16 * i)) as u32).wrapping_add(sum) & 0xffff) << (16 * i)
    };
    total(0) | total(1) | total(2) | total(3)
}

#[inline(always)]
fn sat_pk([a, ..]: [u64; 4]) -> u32 {
    let byte = |word: u64| u32::from((word as u16 as i16).clamp(0, 255) as u8);
    byte(a) | byte(a >> 16) << 8
}

/// Sums the products of all fields of `BITS` bits, sign-extended.
#[inline(always)]
fn dot_signed<const BITS: u32>(a: u64, b: u64) -> u32 {
    let field = |x: u64, i: u32| (x as i32) << (32 - BITS * (i + 1)) >> (32 - BITS);
    (0..32 / BITS)
        .map(|i| field(a, i) * field(b, i))
        .sum::<i32>() as u32
}

/// Sums the products of all fields of `BITS` bits.
#[inline(always)]
fn dot_unsigned<const BITS: u32>(a: u64, b: u64) -> u32 {
    let field = |x: u64, i: u32| (x as u32) << (32 - BITS * (i + 1)) >> (32 - BITS);
    (0..32 / BITS).map(|i| field(a, i) * field(b, i)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definitions of the manual, computed by hand.
    #[test]
    fn sums_of_differences() {
        assert_eq!(sad(0x0a_00_ff_01, 0x00_0a_00_02, false), 10 + 10 + 255 + 1);
        assert_eq!(sad(0x0a_00_ff_01, 0x00_0a_00_02, true), 10 + 1);
        // Windows of S0 at bytes 0 to 3 against 01 01 01 01.
        let s0 = 0x0000_0005_0403_0201;
        assert_eq!(
            quad_sad([s0, 0x0101_0101, 0x0004_0003_0002_ffff, 0], false),
            (6 - 1) | (10 + 2) << 16 | (9 + 1 + 3) << 32 | (7 + 2 + 4) << 48
        );
    }

    #[test]
    fn saturation() {
        assert_eq!(sat_pk([0x0100_ffff, 0, 0, 0]), 0xff00);
        assert_eq!(sat_pk([0x007f_0080, 0, 0, 0]), 0x7f80);
    }

    /// Extremes: −128 · −128 four times, and 255 · 255 four times.
    #[test]
    fn dot_products() {
        assert_eq!(dot_signed::<8>(0x8080_8080, 0x8080_8080), 4 * 128 * 128);
        assert_eq!(dot_signed::<8>(0xff01_0000, 0x0203_0000) as i32, -2 + 3);
        assert_eq!(dot_unsigned::<8>(0xffff_ffff, 0xffff_ffff), 4 * 255 * 255);
        assert_eq!(dot_signed::<4>(0x8f00_0000, 0x7100_0000) as i32, -8 * 7 - 1);
        assert_eq!(dot_unsigned::<4>(0xffff_ffff, 0xffff_ffff), 8 * 15 * 15);
    }
}
