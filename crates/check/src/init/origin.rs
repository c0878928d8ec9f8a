//! The search for the origin of undefined bits, backwards along all paths from a sink.

use std::collections::VecDeque;

use wavetank_gcn::tables::Field;
use wavetank_gcn::{Form, Inst, Registers};

use super::sink::Sink;
use crate::code::{Graph, Node};

/// The origin of undefined bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// An instruction has loaded them, whose address this is.
    Load(u64),
    /// Registers that have not been written since the wave began.
    Start(Registers),
}

/// Limit of steps backwards. An instruction is visited as often as necessary to search for all of its registers.
const MAX_STEPS: usize = 20_000;

/// Returns the nearest origin of the undefined bits at an instruction. This is a load of undefined bits, as `loads` says; or else
/// registers that are not among those that a wave starts with, `given`, if the waves start in this code.
pub(super) fn origin(
    graph: &Graph,
    pc: u64,
    sink: Option<Sink>,
    loads: impl Fn(u64) -> bool,
    given: Option<&Registers>,
) -> Option<Origin> {
    let at = graph.nodes.binary_search_by_key(&pc, |node| node.pc).ok()?;
    let mut seen = vec![Registers::default(); graph.nodes.len()];
    let before = befores(graph);
    let mut open = VecDeque::from([(at, sources(&graph.nodes[at], sink))]);
    let mut at_start = Registers::default();
    for _ in 0..MAX_STEPS {
        let Some((at, wanted)) = open.pop_front() else {
            break;
        };
        let new = wanted.without(&seen[at]);
        if new.is_empty() {
            continue;
        }
        seen[at].add_all(&new);
        if graph.nodes[at].pc == graph.start() {
            at_start.add_all(&new);
        }
        for &before in &before[at] {
            let node = &graph.nodes[before];
            let written = node.effects.writes.both(&new);
            if !written.is_empty() && node.effects.reads_memory && loads(node.pc) {
                return Some(Origin::Load(node.pc));
            }
            open.push_back((before, through(node, &new)));
        }
    }
    let unknown = at_start.without(given?);
    (!unknown.is_empty()).then_some(Origin::Start(unknown))
}

/// Returns the instruction that has computed a condition, EXEC or a branch's. It is the nearest one on the paths to it that does
/// more than combine masks, and is usually a compare.
pub(super) fn decider(graph: &Graph, pc: u64, sink: Sink) -> Option<u64> {
    let at = graph.nodes.binary_search_by_key(&pc, |node| node.pc).ok()?;
    let mut seen = vec![Registers::default(); graph.nodes.len()];
    let before = befores(graph);
    let mut open = VecDeque::from([(at, sources(&graph.nodes[at], Some(sink)))]);
    for _ in 0..MAX_STEPS {
        let (at, wanted) = open.pop_front()?;
        let new = wanted.without(&seen[at]);
        if new.is_empty() {
            continue;
        }
        seen[at].add_all(&new);
        for &before in &before[at] {
            let node = &graph.nodes[before];
            let joins = matches!(node.inst.form, Form::Sop1 | Form::Sop2);
            if !joins && node.effects.writes.meets(&new) {
                return Some(node.pc);
            }
            open.push_back((before, through(node, &new)));
        }
    }
    None
}

/// Returns the registers to search for before an instruction, from those to search for after it.
fn through(node: &Node, wanted: &Registers) -> Registers {
    let written = node.effects.writes.both(wanted);
    if written.is_empty() {
        return *wanted;
    }
    // Inactive lanes keep the old contents of vector registers.
    let mut scalars = Registers::default();
    written.scalars().for_each(|n| scalars.add_scalars(n, 1));
    scalars.add_state(written.state());
    let rest = wanted.without(&scalars);
    if node.effects.reads_memory {
        rest
    } else {
        rest.or(&known(&node.effects.reads))
    }
}

/// Removes EXEC, which is always defined.
pub(super) fn known(reads: &Registers) -> Registers {
    let mut exec = Registers::default();
    exec.add_scalars(126, 2);
    reads.without(&exec)
}

/// Returns the registers that an instruction uses at a sink; without a sink, those that it stores.
pub(super) fn sources(node: &Node, sink: Option<Sink>) -> Registers {
    let is_data = |field| {
        matches!(
            field,
            Field::Vdata | Field::Data0 | Field::Data1 | Field::Sdata
        )
    };
    let taken = |field| match sink {
        Some(Sink::Address) => !is_data(field),
        // The data that is stored.
        None => is_data(field),
        Some(_) => true,
    };
    match sink {
        None | Some(Sink::Address) => known(&operands(&node.inst, taken)),
        Some(_) => known(&node.effects.reads),
    }
}

/// Returns the registers that an instruction reads in the fields that `taken` accepts.
fn operands(inst: &Inst, taken: impl Fn(Field) -> bool) -> Registers {
    let mut registers = Registers::default();
    for (i, spec) in inst.row().operands.iter().enumerate() {
        if inst.accesses(i).0 && taken(spec.field) {
            registers.add(inst.operands[i], inst.reach(i));
        }
    }
    registers
}

/// Returns the predecessors of each instruction.
pub(super) fn befores(graph: &Graph) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); graph.nodes.len()];
    for block in &graph.blocks {
        for n in block.nodes.clone().skip(1) {
            before[n].push(n - 1);
        }
        for next in &block.next {
            before[graph.blocks[*next].nodes.start].push(block.nodes.end - 1);
        }
    }
    before
}
