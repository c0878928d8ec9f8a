//! Descriptions of exports: results that leave a wave for fixed hardware.

use crate::table::parts;
use crate::types::Value;

parts! {
    /// What leaves a wave at an export.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Export {
        /// Where it goes, by the front end's numbers.
        pub target: u8,
        /// The `V32` or `U32` of each component that is sent.
        pub sources: [Option<Value>; 4],
        by name:
        /// The lanes that send (a `Mask`).
        pub mask: Value,
        /// Components have 16 bits: component n is half n % 2 of its value.
        pub compressed: bool,
        /// Whether it is the last export of its kind.
        pub done: bool,
        /// The active lanes are those that are valid.
        pub valid_mask: bool,
    }
}
