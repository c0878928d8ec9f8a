//! Dead code, found on the way up.

use crate::op::{Node, Op, Value};
use crate::types::Reg;

use super::Options;

/// The nodes that matter, numbered without gaps.
pub(super) fn remove(nodes: Vec<Node>, options: Options) -> Vec<Node> {
    let live = liveness(&nodes, options);
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

fn liveness(nodes: &[Node], options: Options) -> Vec<bool> {
    let mut live = vec![false; nodes.len()];
    let mut hidden = Hidden::default();
    for (i, node) in nodes.iter().enumerate().rev() {
        let needed = match node.op {
            Op::Write { reg, .. } => options.keep_dead_writes || !hidden.covers(reg),
            ref op => op.has_effect() || live[i],
        };
        if needed {
            live[i] = true;
            hidden.pass(&node.op);
            node.op.for_each_operand(&mut |v| live[v.index()] = true);
        }
    }
    live
}

/// The uniform registers that are overwritten further down before anybody
/// can see them: no read, no operation that may fault, trap or yield.
#[derive(Default)]
struct Hidden {
    single: [u64; 4],
    scc: bool,
}

impl Hidden {
    /// Whether a write of this register would be seen by nobody.
    fn covers(&self, reg: Reg) -> bool {
        match reg {
            Reg::S(n) => self.get(n),
            Reg::S64(n) | Reg::Mask(n) => self.get(n) && self.get(n.saturating_add(1)),
            Reg::Scc => self.scc,
            // Engines fuse vector writes; hardware registers have effects.
            Reg::V(_) | Reg::V64(_) | Reg::Hw(_) => false,
        }
    }

    /// Goes up past an operation that stays.
    fn pass(&mut self, op: &Op) {
        match *op {
            Op::Write {
                reg: Reg::Hw(_), ..
            }
            | Op::Read(Reg::Hw(_)) => {
                // A front end's status register may show SCC or part of EXEC.
                *self = Hidden::default();
            }
            Op::Write { reg, .. } => self.set(reg, true),
            Op::Read(reg) => self.set(reg, false),
            Op::ReadIndexedS { .. } => self.single = [0; 4],
            Op::Mem(_) | Op::End(_) => *self = Hidden::default(),
            _ => {}
        }
    }

    fn get(&self, n: u8) -> bool {
        self.single[usize::from(n / 64)] >> (n % 64) & 1 != 0
    }

    fn set(&mut self, reg: Reg, hidden: bool) {
        match reg {
            Reg::S(n) => self.put(n, hidden),
            Reg::S64(n) | Reg::Mask(n) => {
                self.put(n, hidden);
                self.put(n.saturating_add(1), hidden);
            }
            Reg::Scc => self.scc = hidden,
            Reg::V(_) | Reg::V64(_) | Reg::Hw(_) => {}
        }
    }

    fn put(&mut self, n: u8, hidden: bool) {
        let (word, bit) = (&mut self.single[usize::from(n / 64)], 1 << (n % 64));
        *word = if hidden { *word | bit } else { *word & !bit };
    }
}
