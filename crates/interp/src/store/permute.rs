//! Bytes that are chosen by other bytes: the processor's shuffles of bytes.

use std::arch::x86_64::*;

use wavetank_ir::LANES;

use super::levels::{Aligned, Store128, Store256, Store512};

type Row = [u32; LANES];

/// The permutes of bytes of one level of processor features.
pub trait Permute {
    /// [`permute`] in each lane.
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn permute(high: &Row, low: &Row, selectors: &Row) -> Aligned<Row>;
}

/// Each byte of `select` selects a byte of `{high, low}`, a sign, 0 or 0xff.
#[inline(always)]
pub fn permute(high: u32, low: u32, select: u32) -> u32 {
    let bytes = u64::from(high) << 32 | u64::from(low);
    let byte = |select: u8| (bytes >> (select % 8 * 8)) as u8;
    u32::from_le_bytes(select.to_le_bytes().map(|select| match select {
        0..=7 => byte(select),
        8..=11 => (byte(2 * select + 1) as i8 >> 7) as u8,
        12 => 0,
        _ => 0xff,
    }))
}

impl Permute for Store512 {
    #[inline(always)]
    unsafe fn permute(high: &Row, low: &Row, selectors: &Row) -> Aligned<Row> {
        let mut r = Aligned([0; LANES]);
        for at in (0..LANES).step_by(16) {
            // SAFETY: sixteen lanes of each; features by the caller's promise.
            unsafe {
                let part = |row: &Row| _mm512_loadu_si512(row.as_ptr().add(at).cast());
                let [high, low, select] = [part(high), part(low), part(selectors)];
                let lanes = _mm512_broadcast_i32x4(_mm_setr_epi32(
                    0,
                    0x0404_0404,
                    0x0808_0808,
                    0x0c0c_0c0c,
                ));
                // The byte of {high, low} with this number.
                let chosen = |number| {
                    let at = _mm512_or_si512(_mm512_and_si512(number, _mm512_set1_epi8(3)), lanes);
                    let is_high = _mm512_test_epi8_mask(number, _mm512_set1_epi8(4));
                    let low = _mm512_shuffle_epi8(low, at);
                    _mm512_mask_shuffle_epi8(low, is_high, high, at)
                };
                let above = _mm512_cmpgt_epu8_mask(select, _mm512_set1_epi8(7));
                let mut bytes = _mm512_maskz_mov_epi8(!above, chosen(select));
                let odd = _mm512_mask_cmpneq_epu8_mask(above, select, _mm512_set1_epi8(12));
                if odd != 0 {
                    let doubled = _mm512_add_epi8(select, select);
                    let signed = chosen(_mm512_or_si512(doubled, _mm512_set1_epi8(1)));
                    let ones = _mm512_movepi8_mask(signed)
                        | _mm512_cmpgt_epu8_mask(select, _mm512_set1_epi8(12));
                    bytes = _mm512_mask_mov_epi8(bytes, odd, _mm512_movm_epi8(ones));
                }
                _mm512_storeu_si512(r.as_mut_ptr().add(at).cast(), bytes);
            }
        }
        r
    }
}

impl Permute for Store256 {
    #[inline(always)]
    unsafe fn permute(high: &Row, low: &Row, selectors: &Row) -> Aligned<Row> {
        let mut r = Aligned([0; LANES]);
        for at in (0..LANES).step_by(8) {
            // SAFETY: eight lanes of each; features by the caller's promise.
            unsafe {
                let part = |row: &Row| _mm256_loadu_si256(row.as_ptr().add(at).cast());
                let [high, low, select] = [part(high), part(low), part(selectors)];
                let lanes = _mm_setr_epi32(0, 0x0404_0404, 0x0808_0808, 0x0c0c_0c0c);
                let lanes = _mm256_broadcastsi128_si256(lanes);
                // The byte of {high, low} with this number.
                let chosen = |number| {
                    let at = _mm256_or_si256(_mm256_and_si256(number, _mm256_set1_epi8(3)), lanes);
                    // Bit 2 of each byte becomes its highest.
                    let is_high = _mm256_slli_epi16::<5>(number);
                    let (low, high) = (_mm256_shuffle_epi8(low, at), _mm256_shuffle_epi8(high, at));
                    _mm256_blendv_epi8(low, high, is_high)
                };
                let at_least =
                    |n| _mm256_cmpeq_epi8(_mm256_max_epu8(select, _mm256_set1_epi8(n)), select);
                let above = at_least(8);
                let mut bytes = _mm256_andnot_si256(above, chosen(select));
                let is_zero = _mm256_cmpeq_epi8(select, _mm256_set1_epi8(12));
                let odd = _mm256_andnot_si256(is_zero, above);
                if _mm256_testz_si256(odd, odd) == 0 {
                    let doubled = _mm256_add_epi8(select, select);
                    let signed = chosen(_mm256_or_si256(doubled, _mm256_set1_epi8(1)));
                    let ones = _mm256_or_si256(signed, at_least(13));
                    let ones = _mm256_cmpgt_epi8(_mm256_setzero_si256(), ones);
                    bytes = _mm256_or_si256(bytes, _mm256_and_si256(odd, ones));
                }
                _mm256_storeu_si256(r.as_mut_ptr().add(at).cast(), bytes);
            }
        }
        r
    }
}

impl Permute for Store128 {
    #[inline(always)]
    unsafe fn permute(high: &Row, low: &Row, selectors: &Row) -> Aligned<Row> {
        Aligned(std::array::from_fn(|i| {
            permute(high[i], low[i], selectors[i])
        }))
    }
}
