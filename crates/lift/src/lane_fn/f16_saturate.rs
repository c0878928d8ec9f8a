//! Saturation of pairs of halves (MODE.FP16_OVFL).

use super::lane_fn;

lane_fn! {
    /// The first pair, in which a half that is infinite becomes the largest number unless one of the other operands is infinite.
    SATURATED_HALVES, "saturated_halves", 32, |[r, a, b, c]: [u64; 4]| saturated(r, [a, b, c], 0) | saturated(r, [a, b, c], 16)
}

#[inline(always)]
fn saturated(r: u64, sources: [u64; 3], at: u32) -> u32 {
    const INFINITY: u64 = 0x7c00;
    let half = |x: u64| x >> at & 0xffff;
    let infinite = |x: u64| half(x) & 0x7fff == INFINITY;
    let overflow = infinite(r) & !sources.into_iter().any(infinite);
    ((half(r) - u64::from(overflow)) as u32) << at
}

#[cfg(test)]
mod tests {
    use super::SATURATED_HALVES;

    /// Vega ISA, 3.5: "while still preserving true INF values".
    #[test]
    fn only_overflow_is_held() {
        let saturated = |args: [u64; 4]| (SATURATED_HALVES.call)(args).0;
        assert_eq!(saturated([0x7c00_fc00, 0x7bff_7bff, 0, 0]), 0x7bff_fbff);
        assert_eq!(
            saturated([0x7c00_fc00, 0x7c00_0000, 0, 0xfc00]),
            0x7c00_fc00
        );
        assert_eq!(saturated([0x7e00_3c00, 0, 0, 0]), 0x7e00_3c00);
    }
}
