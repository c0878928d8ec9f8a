//! Basic blocks of machine code.

use std::ops::Range;

/// A basic block: consecutive instructions, with the blocks that may follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The indices of its nodes in the graph.
    pub nodes: Range<usize>,
    /// The indices of the blocks that may follow, each once.
    pub next: Vec<usize>,
}
