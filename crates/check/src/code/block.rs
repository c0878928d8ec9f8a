//! Basic blocks of machine code.

use std::ops::Range;

/// Instructions that are executed one behind the other, and the blocks that may follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its nodes in the graph.
    pub nodes: Range<usize>,
    /// The blocks that may follow, each once.
    pub next: Vec<usize>,
}
