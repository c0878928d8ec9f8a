//! Pure functions applied lane by lane: the rare and odd operations.

use crate::types::LANES;

/// A pure Rust function that a front end applies to every lane.
///
/// Arguments and results are zero-extended to 64 bits. Its shadow rule is: any
/// undefined input makes the output undefined.
pub struct LaneFn {
    /// The name it has in the text form; unique.
    pub name: &'static str,
    /// The width of the result, 32 or 64.
    pub result_bits: u32,
    /// Whether there is a second result, a mask bit a lane.
    pub has_mask: bool,
    /// The function; unused arguments are 0.
    pub call: fn([u64; 4]) -> (u64, bool),
    /// `call` for every lane, with the loop inside: the results go to the last
    /// argument, the second results are returned as a mask. Made by
    /// [`over_lanes`].
    pub all: fn([&[u64; LANES]; 4], &mut [u64; LANES]) -> u64,
}

/// Applies a function to every lane; what [`LaneFn::all`] is made of, so that
/// the function is compiled into the loop.
///
/// ```
/// use wavetank_ir::{LANES, over_lanes};
/// let (one, zero) = ([1; LANES], [0; LANES]);
/// let mut sum = zero;
/// let mask = over_lanes(|[a, b, ..]| (a + b, a > b), [&one, &one, &zero, &zero], &mut sum);
/// assert_eq!((sum[63], mask), (2, 0));
/// ```
#[inline(always)]
pub fn over_lanes(
    f: impl Fn([u64; 4]) -> (u64, bool),
    [a, b, c, d]: [&[u64; LANES]; 4],
    results: &mut [u64; LANES],
) -> u64 {
    let mut mask = 0;
    for (lane, result) in results.iter_mut().enumerate() {
        let (value, bit) = f([a[lane], b[lane], c[lane], d[lane]]);
        *result = value;
        mask |= u64::from(bit) << lane;
    }
    mask
}

impl std::fmt::Debug for LaneFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LaneFn({})", self.name)
    }
}
