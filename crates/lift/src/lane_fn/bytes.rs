//! Bytes packed in words: permutes, averages, sums of absolute differences and
//! dot products (Vega ISA, 12.10 VOP3 and 12.11 VOP3P).

use super::lane_fn;

lane_fn! {
    /// Each byte of S2 selects a byte of `{S0, S1}`, its sign, 0 or 0xff.
    PERM_B32, "perm_b32", 32, perm
}
lane_fn! {
    /// The average of each byte, rounded up where S2 has its low bit set.
    LERP_U8, "lerp_u8", 32, lerp
}
lane_fn! {
    /// The sum of absolute differences of four bytes.
    SAD_U8, "sad_u8", 32, |[a, b, ..]: [u64; 4]| sad(a as u32, b as u32, false)
}
lane_fn! {
    /// `SAD_U8` without the bytes where S1, the reference, is 0.
    MSAD_U8, "msad_u8", 32, |[a, b, ..]: [u64; 4]| sad(a as u32, b as u32, true)
}
lane_fn! {
    /// The sum of absolute differences of two words.
    SAD_U16, "sad_u16", 32, sad_u16
}
lane_fn! {
    /// Four `SAD_U8` at successive bytes of S0, each added to 16 bits of S2.
    QSAD_PK_U16_U8, "qsad_pk_u16_u8", 64, |args| quad_sad(args, false)
}
lane_fn! {
    /// Four `MSAD_U8` at successive bytes of S0, each added to 16 bits of S2.
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

fn perm([s0, s1, s2, _]: [u64; 4]) -> u32 {
    let bytes = (s0 << 32 | s1).to_le_bytes();
    let sign = |byte: usize| if bytes[byte] & 0x80 != 0 { 0xff } else { 0 };
    let select = (s2 as u32).to_le_bytes().map(|select| match select {
        0..=7 => bytes[usize::from(select)],
        8 => sign(1),
        9 => sign(3),
        10 => sign(5),
        11 => sign(7),
        12 => 0,
        _ => 0xff,
    });
    u32::from_le_bytes(select)
}

fn lerp([s0, s1, s2, _]: [u64; 4]) -> u32 {
    let [a, b, round] = [s0, s1, s2].map(|s| (s as u32).to_le_bytes());
    u32::from_le_bytes(std::array::from_fn(|i| {
        ((u16::from(a[i]) + u16::from(b[i]) + u16::from(round[i] & 1)) >> 1) as u8
    }))
}

fn sad(a: u32, b: u32, masked: bool) -> u32 {
    std::iter::zip(a.to_le_bytes(), b.to_le_bytes())
        .filter(|&(_, reference)| !masked || reference != 0)
        .map(|(x, y)| u32::from(x.abs_diff(y)))
        .sum()
}

fn sad_u16([a, b, ..]: [u64; 4]) -> u32 {
    let half = |shift: u32| u32::from(((a >> shift) as u16).abs_diff((b >> shift) as u16));
    half(0) + half(16)
}

fn quad_sad([a, b, c, _]: [u64; 4], masked: bool) -> u64 {
    (0..4).fold(0, |packed, i| {
        let sum = sad((a >> (8 * i)) as u32, b as u32, masked);
        let total = (c >> (16 * i)) as u16;
        packed | u64::from(total.wrapping_add(sum as u16)) << (16 * i)
    })
}

fn sat_pk([a, ..]: [u64; 4]) -> u32 {
    let byte = |word: u64| u32::from((word as u16 as i16).clamp(0, 255) as u8);
    byte(a) | byte(a >> 16) << 8
}

/// Sums the products of all fields of `BITS` bits, sign-extended.
fn dot_signed<const BITS: u32>(a: u64, b: u64) -> u32 {
    let field = |x: u64, i: u32| (x as i32) << (32 - BITS * (i + 1)) >> (32 - BITS);
    (0..32 / BITS)
        .map(|i| field(a, i) * field(b, i))
        .sum::<i32>() as u32
}

/// Sums the products of all fields of `BITS` bits.
fn dot_unsigned<const BITS: u32>(a: u64, b: u64) -> u32 {
    let field = |x: u64, i: u32| (x as u32) << (32 - BITS * (i + 1)) >> (32 - BITS);
    (0..32 / BITS).map(|i| field(a, i) * field(b, i)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expectations folded by LLVM's instcombine from `llvm.amdgcn.perm`.
    #[test]
    fn perm_as_llvm_folds() {
        for (s0, s1, s2, want) in [
            (0x80706050, 0x84038281, 0x03020100, 0x84038281),
            (0x80706050, 0x84038281, 0x07060504, 0x80706050),
            (0x80706050, 0x84038281, 0x0b0a0908, 0xff00ffff),
            (0x80706050, 0x84038281, 0x0c0dff00, 0x00ffff81),
            (0x80706050, 0x84038281, 0x0e0c0b04, 0xff00ff50),
            (0x00ff00ff, 0x7f807f80, 0x08090a0b, 0x00000000),
        ] {
            assert_eq!(perm([s0, s1, s2, 0]), want, "{s0:#x} {s1:#x} {s2:#x}");
        }
    }

    /// The definitions in the seed, worked by hand.
    #[test]
    fn sums_of_differences() {
        assert_eq!(sad(0x0a_00_ff_01, 0x00_0a_00_02, false), 10 + 10 + 255 + 1);
        assert_eq!(sad(0x0a_00_ff_01, 0x00_0a_00_02, true), 10 + 1);
        assert_eq!(sad_u16([0xffff_0001, 0x0000_0003, 0, 0]), 0xffff + 2);
        // Windows of S0 at bytes 0 to 3 against 01 01 01 01.
        let s0 = 0x0000_0005_0403_0201;
        assert_eq!(
            quad_sad([s0, 0x0101_0101, 0x0004_0003_0002_ffff, 0], false),
            (6 - 1) | (10 + 2) << 16 | (9 + 1 + 3) << 32 | (7 + 2 + 4) << 48
        );
    }

    /// `(a + b + round) >> 1` in each byte.
    #[test]
    fn averages() {
        assert_eq!(
            lerp([0xff_00_01_02, 0xff_01_02_02, 0x01_01_00_01, 0]),
            0xff_01_01_02
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
