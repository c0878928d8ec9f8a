//! Descriptions of exports: results that leave a wave for fixed hardware.

/// What leaves a wave at an export: registers of the active lanes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Export {
    /// Where it goes, by the front end's numbers.
    pub target: u8,
    /// The vector register of each component that is sent.
    pub sources: [Option<u16>; 4],
    /// Components have 16 bits: component n is half n % 2 of its register.
    pub compressed: bool,
    /// It is the last one of its kind.
    pub done: bool,
    /// The active lanes are those that are valid.
    pub valid_mask: bool,
}
