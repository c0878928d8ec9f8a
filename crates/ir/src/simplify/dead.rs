//! Dead code elimination, from the last node to the first.

use crate::effects::{Effects, RegFile, Span};
use crate::op::Node;
use crate::operations::Op;
use crate::types::Value;

/// Removes dead nodes and renumbers the others without gaps. With `keep_writes`, writes that a later write overwrites stay.
pub(super) fn remove(nodes: Vec<Node>, keep_writes: bool) -> Vec<Node> {
    let live = liveness(&nodes, keep_writes);
    let mut new = Vec::with_capacity(nodes.len());
    let mut out: Vec<Node> = Vec::with_capacity(nodes.len());
    for (mut node, live) in nodes.into_iter().zip(live) {
        new.push(Value(out.len() as u32));
        if live {
            node.op.for_each_operand_mut(&mut |v| *v = new[v.index()]);
            out.push(node);
        }
    }
    out
}

fn liveness(nodes: &[Node], keep_writes: bool) -> Vec<bool> {
    let mut live = vec![false; nodes.len()];
    let mut hidden = Hidden::default();
    for (i, node) in nodes.iter().enumerate().rev() {
        let effects = node.op.effects();
        let dead = match node.op {
            Op::Write { .. } => !keep_writes && hidden.covers(&effects),
            _ => !effects.any() && !live[i],
        };
        live[i] = !dead;
        if live[i] {
            hidden.pass(&effects);
            node.op.for_each_operand(&mut |v| live[v.index()] = true);
        }
    }
    live
}

/// The uniform registers that are overwritten below, without a read or an operation that observes the state between.
#[derive(Default)]
struct Hidden {
    single: [u64; 4],
    scc: bool,
}

impl Hidden {
    /// Whether a write is dead. Writes of vector registers are left to engines, which fuse them.
    fn covers(&self, effects: &Effects) -> bool {
        effects.overwrites && effects.writes.iter().all(|span| self.has(span))
    }

    /// Moves up past an operation that stays.
    fn pass(&mut self, effects: &Effects) {
        if effects.observes_state {
            *self = Hidden::default();
            return;
        }
        if effects.overwrites {
            effects.writes.iter().for_each(|span| self.set(span, true));
        }
        effects.reads.iter().for_each(|span| self.set(span, false));
        // A counter of active lanes reads EXEC here.
        if effects.marks {
            self.set(Span::EXEC, false);
        }
    }

    fn has(&self, span: Span) -> bool {
        match span.file {
            RegFile::Uniform => bits(span).all(|(word, bit)| self.single[word] & bit != 0),
            RegFile::Scc => self.scc,
            RegFile::Hardware | RegFile::Vector => false,
        }
    }

    fn set(&mut self, span: Span, hidden: bool) {
        match span.file {
            RegFile::Uniform => bits(span).for_each(|(word, bit)| {
                let word = &mut self.single[word];
                *word = if hidden { *word | bit } else { *word & !bit };
            }),
            RegFile::Scc => self.scc = hidden,
            RegFile::Hardware | RegFile::Vector => {}
        }
    }
}

/// The bits of uniform registers in the set, each with its word.
fn bits(span: Span) -> impl Iterator<Item = (usize, u64)> {
    let end = span.end().min(Span::ALL_UNIFORM.end());
    (span.first..end).map(|n| (n as usize / 64, 1 << (n % 64)))
}
