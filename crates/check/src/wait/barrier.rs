//! LDS accesses that may follow a location: the conflicts that a barrier prevents.

use super::event::{LdsAccess, is_lds, loads_to_lds};
use crate::code::{Graph, Node};

/// For each node, whether LDS may be read, and whether it may be written, after it.
pub(super) struct Reach(Vec<Follows>);

#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Follows {
    reads: bool,
    writes: bool,
}

impl Follows {
    fn or(self, other: Follows) -> Follows {
        Follows {
            reads: self.reads || other.reads,
            writes: self.writes || other.writes,
        }
    }
}

impl Reach {
    /// Returns the LDS accesses that may follow in a graph. A callee may have any.
    pub(super) fn of(graph: &Graph) -> Reach {
        let mut before: Vec<Follows> = vec![Follows::default(); graph.blocks.len()];
        let mut after = vec![Follows::default(); graph.nodes.len()];
        loop {
            let mut changed = false;
            for (n, block) in graph.blocks.iter().enumerate().rev() {
                let ends = block.next.iter().map(|next| before[*next]);
                let mut follows = ends.fold(Follows::default(), Follows::or);
                for node in block.nodes.clone().rev() {
                    after[node] = follows;
                    follows = follows.or(accesses(&graph.nodes[node]));
                }
                changed |= before[n] != follows;
                before[n] = follows;
            }
            if !changed {
                return Reach(after);
            }
        }
    }

    /// Whether the accesses that may follow a node conflict with an access that is still in flight there.
    pub(super) fn conflicts(&self, node: usize, access: LdsAccess) -> bool {
        let Follows { reads, writes } = self.0[node];
        writes || access.writes && reads
    }
}

/// Returns the LDS accesses of a node.
fn accesses(node: &Node) -> Follows {
    let lds = is_lds(&node.inst);
    Follows {
        reads: lds && node.effects.reads_memory || node.successors.calls,
        writes: lds && node.effects.writes_memory
            || loads_to_lds(&node.inst)
            || node.successors.calls,
    }
}
