//! Values, nodes and blocks of the IR.

use crate::operations::Op;
use crate::types::{Ty, Value};

/// One node of a block: an operation and the type of its result.
#[derive(Clone, Debug)]
pub struct Node {
    /// The operation of the node.
    pub op: Op,
    /// The type of its (first) result; `None` if it has none.
    pub ty: Option<Ty>,
}

/// A lifted basic block of the guest.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The guest address of the first instruction.
    pub pc: u64,
    /// The operations in the order of execution; the last is `Op::End`.
    pub nodes: Vec<Node>,
}

impl Block {
    /// The node that defines a value.
    pub fn node(&self, v: Value) -> &Node {
        &self.nodes[v.index()]
    }

    /// The guest address of the instruction that a node belongs to.
    pub fn instruction_of(&self, v: Value) -> u64 {
        let nodes = self.nodes[..=v.index()].iter().rev();
        let mut opened = nodes.filter_map(|node| match node.op {
            Op::Inst { pc, .. } => Some(pc),
            _ => None,
        });
        opened.next().unwrap_or(self.pc)
    }

    /// The type of a value.
    ///
    /// # Panics
    /// If the node has no result, which the verifier excludes.
    pub fn ty(&self, v: Value) -> Ty {
        self.node(v).ty.expect("the node has a result")
    }
}
