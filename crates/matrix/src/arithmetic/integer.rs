//! Sums of products of signed bytes, in 32 bits that wrap. The encoding has no clamp.

pub(super) fn dot(acc: u32, factors: impl Iterator<Item = (u32, u32)>) -> u32 {
    let byte = |bits: u32| i32::from(bits as u8 as i8);
    let sum = factors.fold(acc.cast_signed(), |acc, (a, b)| {
        acc.wrapping_add(byte(a) * byte(b))
    });
    sum.cast_unsigned()
}
