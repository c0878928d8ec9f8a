//! Descriptions of exports: results that a wave sends to fixed-function hardware.

use crate::table::parts;
use crate::types::Value;

parts! {
    /// The data and the target of an export.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Export {
        /// The target, by the front end's numbers.
        pub target: u8,
        /// The value (`V32` or `U32`) of each component that is sent.
        pub sources: [Option<Value>; 4],
        by name:
        /// The sending lanes (a `Mask`).
        pub mask: Value,
        /// Whether components have 16 bits: component n is half n % 2 of its value.
        pub compressed: bool,
        /// Whether it is the last export of its kind.
        pub done: bool,
        /// Whether the active lanes are the valid ones.
        pub valid_mask: bool,
    }
}
