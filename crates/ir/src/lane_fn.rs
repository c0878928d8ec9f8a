//! Pure functions applied lane by lane: the rare and odd operations.

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
}

impl std::fmt::Debug for LaneFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LaneFn({})", self.name)
    }
}
