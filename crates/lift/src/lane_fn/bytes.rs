//! Bytes packed in words: permutes, averages, sums of absolute differences and
//! dot products (Vega ISA, 12.10 VOP3 and 12.11 VOP3P).

use super::lane_fn;

lane_fn! {
    /// Each byte of S2 selects a byte of `{S0, S1}`, its sign, 0 or 0xff.
    PERM_B32, "perm_b32", 32, perm, usually usual_perm
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

/// Without branches, which 64 lanes could not share: the byte of a selector below 8, the sign of one below 12, a constant.
#[inline(always)]
fn perm([s0, s1, s2, _]: [u64; 4]) -> u32 {
    let [high, low, selectors] = [s0, s1, s2].map(|s| s as u32);
    let mut r = 0;
    for byte in 0..4 {
        let select = selectors >> (8 * byte) & 0xff;
        let word = if select & 4 != 0 { high } else { low };
        let chosen = word >> (select % 4 * 8) & 0xff;
        let signed = if select & 2 != 0 { high } else { low };
        let signed = if select & 1 != 0 {
            signed
        } else {
            signed << 16
        };
        let sign = ((signed as i32 >> 31) as u32) & 0xff;
        let other = if select == 12 { 0 } else { 0xff };
        let other = if select < 12 { sign } else { other };
        r |= (if select < 8 { chosen } else { other }) << (8 * byte);
    }
    r
}

/// `perm` by selectors of bytes and of 0 (12), and whether all are such.
#[inline(always)]
fn usual_perm([s0, s1, s2, _]: [u64; 4]) -> (u64, bool) {
    let [high, low, selectors] = [s0, s1, s2].map(|s| s as u32);
    let mut r = 0;
    for byte in 0..4 {
        let select = selectors >> (8 * byte);
        let word = if select & 4 != 0 { high } else { low };
        let chosen = word >> (select % 4 * 8) & 0xff;
        r |= if select & 8 != 0 { 0 } else { chosen } << (8 * byte);
    }
    // Above 7 only 12: bit 2 is set with bit 3, and bits 1 and 0 are not.
    let above = selectors & 0x0808_0808;
    let other = (selectors ^ 0x0404_0404) & (above >> 1 | above >> 2 | above >> 3);
    (r.into(), selectors & 0xf0f0_f0f0 | other == 0)
}

/// In each byte what a and b have in common, and half of the rest; with that half's lost bit where it is asked for.
#[inline(always)]
fn lerp([s0, s1, s2, _]: [u64; 4]) -> u32 {
    let [a, b, round] = [s0, s1, s2].map(|s| s as u32);
    let rest = a ^ b;
    (a & b) + (rest >> 1 & 0x7f7f_7f7f) + (rest & round & 0x0101_0101)
}

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
fn sad_u16([a, b, ..]: [u64; 4]) -> u32 {
    let difference = |shift: u32| {
        let [x, y] = [a, b].map(|s| (s as u32 >> shift & 0xffff) as i32);
        (x - y).unsigned_abs()
    };
    difference(0) + difference(16)
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

    /// The manual's table of selectors (12.10 V_PERM_B32), for each selector in each byte.
    #[test]
    fn perm_of_every_selector() {
        for [s0, s1] in [[0x8001_7f02u64, 0x0384_0586], [0x7f80_ff00, 0xfe01_8033]] {
            let bytes = (s0 << 32 | s1).to_le_bytes();
            let sign = |byte: usize| if bytes[byte] & 0x80 != 0 { 0xff } else { 0 };
            for select in 0..=255u8 {
                let byte = match select {
                    0..=7 => bytes[usize::from(select)],
                    8..=11 => sign(usize::from(select - 8) * 2 + 1),
                    12 => 0,
                    _ => 0xff,
                };
                let all = u64::from(select) * 0x0101_0101;
                let expected = u32::from(byte) * 0x0101_0101;
                assert_eq!(perm([s0, s1, all, 0]), expected);
                let (usual, is_usual) = usual_perm([s0, s1, all, 0]);
                assert_eq!(is_usual, matches!(select, 0..=7 | 12));
                assert!(!is_usual || usual == expected.into(), "{select}");
            }
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
        for [a, b, round] in
            (0..=255u64).flat_map(|a| [[a, 255 - a, 0], [a, a / 3, 1], [a, 255, 1]])
        {
            let average = (a + b + round) / 2 * 0x0101_0101;
            assert_eq!(
                u64::from(lerp([a, b, round, 0].map(|x| x * 0x0101_0101))),
                average
            );
        }
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
