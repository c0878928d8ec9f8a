//! Byte permutes: bytes selected by other bytes.

use wavetank_ir::LANES;

use super::Aligned;

/// The lanes of a register.
pub(crate) type Row = [u32; LANES];

/// The permutes of bytes of one level of processor features.
pub trait Permute {
    /// Applies [`permute`] in each lane.
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn permute(high: &Row, low: &Row, selectors: &Row) -> Aligned<Row>;
}

/// Each byte of `select` selects a byte of `{high, low}`, a sign, 0 or 0xff.
#[inline(always)]
pub(crate) fn permute(high: u32, low: u32, select: u32) -> u32 {
    let bytes = u64::from(high) << 32 | u64::from(low);
    let byte = |select: u8| (bytes >> (select % 8 * 8)) as u8;
    u32::from_le_bytes(select.to_le_bytes().map(|select| match select {
        0..=7 => byte(select),
        8..=11 => (byte(2 * select + 1) as i8 >> 7) as u8,
        12 => 0,
        _ => 0xff,
    }))
}
