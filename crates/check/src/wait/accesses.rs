//! What the nodes of a graph do to accesses in flight: those that they issue, wait for, and use too early.

use wavetank_gcn::numbers::sreg::EXEC;
use wavetank_gcn::tables::Sopp;
use wavetank_gcn::{Form, Inst, Op, Registers, WaitCounter};

use super::barrier::Reach;
use super::calls::Calls;
use super::contents::Contents;
use super::describe::Mistake;
use super::event::{Event, Kind, events, immediate, is_lds};
use super::pending::{Pending, State};
use crate::code::{Graph, Node};

/// A graph with its events, uses and calls.
pub(super) struct Accesses<'g> {
    /// The code that is analyzed.
    pub graph: &'g Graph,
    /// The states at the functions that it calls.
    pub calls: Calls,
    events: Vec<Vec<Event>>,
    uses: Vec<Uses>,
    reach: Reach,
    contents: Contents,
}

/// The registers of a node that matter for waits.
struct Uses {
    reads: Registers,
    writes: Registers,
    /// The kind whose order keeps its result after earlier ones, if there is one.
    in_order: Option<Kind>,
}

impl<'g> Accesses<'g> {
    pub(super) fn of(graph: &'g Graph) -> Self {
        let events: Vec<Vec<Event>> = graph.nodes.iter().map(events).collect();
        let uses = graph.nodes.iter().zip(&events);
        let uses = uses.map(|(node, events)| Uses::of(node, events)).collect();
        Accesses {
            graph,
            calls: Calls::default(),
            uses,
            reach: Reach::of(graph),
            contents: Contents::of(graph, &events),
            events,
        }
    }

    /// Returns the addresses of the nodes that issue accesses.
    pub(super) fn issued(&self) -> Vec<u64> {
        let nodes = self.graph.nodes.iter().zip(&self.events);
        let issuing = nodes.filter(|(_, events)| !events.is_empty());
        issuing.map(|(node, _)| node.pc).collect()
    }

    /// Whether a node has anything to do with the accesses in flight, apart from waits.
    pub(super) fn may_be_mistake(&self, state: &State, node: usize) -> bool {
        let inst = &self.graph.nodes[node].inst;
        let meets_lds = inst.op == Sopp::S_BARRIER.into() || is_lds(inst);
        let uses = &self.uses[node];
        state.concerns(&uses.reads) || state.concerns(&uses.writes) || meets_lds && state.has_lds()
    }

    /// Returns the use of a node that comes too early for one access in flight, if a wave comes there so, and if its
    /// result is used.
    pub(super) fn mistake(&self, pending: &Pending, node: usize) -> Option<Mistake> {
        let uses = &self.uses[node];
        if uses.reads.meets(&pending.loads) {
            return Some(Mistake::read(uses.reads.both(&pending.loads)));
        }
        let in_order = uses.in_order == Some(pending.kind);
        if uses.writes.meets(&pending.loads) && !in_order && !pending.other_lanes {
            return Some(Mistake::overwritten(uses.writes.both(&pending.loads)));
        }
        if uses.writes.meets(&pending.locks) {
            return Some(Mistake::source(uses.writes.both(&pending.locks)));
        }
        if self.reads_too_early(pending, node) {
            return Some(Mistake::read_of_lds());
        }
        let at_barrier = self.graph.nodes[node].inst.op == Sopp::S_BARRIER.into();
        let shared = pending.lds.filter(|_| at_barrier && !self.graph.alone);
        let shared = shared.filter(|lds| self.reach.conflicts(node, *lds));
        shared.map(Mistake::passed_on)
    }

    /// Whether a node reads LDS while a load to LDS is in flight that is to give the only contents there.
    fn reads_too_early(&self, pending: &Pending, node: usize) -> bool {
        let Node { inst, effects, .. } = &self.graph.nodes[node];
        let loads_to_lds = pending.kind == Kind::Vector && pending.lds.is_some();
        loads_to_lds && is_lds(inst) && effects.reads_memory && !self.contents.before(node)
    }

    /// Changes a state from before a node to after it.
    pub(super) fn pass(&self, state: &mut State, node: usize) {
        let uses = &self.uses[node];
        state.write(&uses.writes, writes_exec(&uses.writes));
        let Node {
            inst,
            successors,
            pc,
            ..
        } = &self.graph.nodes[node];
        match inst.op {
            Op::Sopp(Sopp::S_WAITCNT) => {
                let counters = WaitCounter::all(inst.chip.generation());
                for (counter, bits) in counters.iter().enumerate() {
                    state.wait(counter, bits.get(immediate(inst)));
                }
            }
            _ if successors.calls => *state = self.calls.after(self.graph, successors.callee),
            _ => {
                for event in &self.events[node] {
                    state.issue(*pc, event);
                }
            }
        }
    }
}

impl Uses {
    fn of(node: &Node, events: &[Event]) -> Uses {
        let effects = &node.effects;
        let loads = effects.reads_memory && !effects.writes_memory;
        let mut reads = effects.reads;
        if loads {
            // A load into half a register preserves the other half without an early read.
            reads = effects.reads.without(&effects.writes);
            reads.add_all(&sources(&node.inst));
        }
        // A FLAT instruction may complete before earlier ones (Vega ISA, 9.1 "Ordering").
        let generic = node.inst.form == Form::Flat;
        let kind = events.iter().find(|event| !event.loads.is_empty());
        let in_order = kind.map(|event| event.kind).filter(|_| !generic);
        Uses {
            reads,
            writes: effects.writes,
            in_order: in_order.filter(|kind| kind.is_in_order()),
        }
    }
}

/// Whether EXEC is among registers that are written.
pub(super) fn writes_exec(writes: &Registers) -> bool {
    writes.scalars().any(|n| n >= EXEC)
}

/// Returns the registers that an instruction reads, except by operands that it also writes.
fn sources(inst: &Inst) -> Registers {
    let mut registers = Registers::default();
    for i in 0..inst.row().operands.len() {
        if inst.accesses(i) == (true, false) {
            registers.add(inst.operands[i], inst.reach(i));
        }
    }
    registers
}
