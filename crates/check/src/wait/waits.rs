//! The data-flow analysis of accesses in flight, and the search for uses that come too early.

use wavetank_gcn::numbers::sreg::EXEC;
use wavetank_gcn::tables::Sopp;
use wavetank_gcn::{Field, Form, Inst, Op, Operand, Registers, WaitCounter};

use super::barrier::Reach;
use super::calls::Calls;
use super::describe::Mistake;
use super::event::{Event, Kind, events};
use super::pending::{Pending, State};
use crate::code::{Graph, Node};
use crate::flow::Analysis;

/// The analysis of a graph: its events, uses and calls.
pub(super) struct Waits<'g> {
    /// The code that is analyzed.
    pub graph: &'g Graph,
    events: Vec<Vec<Event>>,
    uses: Vec<Uses>,
    reach: Reach,
    /// The states at the functions that it calls.
    pub calls: Calls,
}

/// The registers of a node that matter for waits.
struct Uses {
    reads: Registers,
    writes: Registers,
    /// The kind whose order keeps its result after earlier ones, if there is one.
    in_order: Option<Kind>,
}

impl<'g> Waits<'g> {
    /// Prepares the analysis of a graph.
    pub(super) fn of(graph: &'g Graph) -> Self {
        let events: Vec<Vec<Event>> = graph.nodes.iter().map(events).collect();
        let uses = graph.nodes.iter().zip(&events);
        let uses = uses.map(|(node, events)| Uses::of(node, events)).collect();
        Waits {
            graph,
            events,
            uses,
            reach: Reach::of(graph),
            calls: Calls::default(),
        }
    }

    /// Returns the uses of a node that come too early, each with an access in flight: for each counter the youngest one, whose
    /// wait covers all.
    pub(super) fn mistakes(&self, state: &State, node: usize) -> Vec<(Mistake, Pending)> {
        let mut found: Vec<(Mistake, Pending)> = Vec::new();
        for pending in state.all() {
            let Some(mistake) = self.mistake(pending, node) else {
                continue;
            };
            match found.iter_mut().find(|(_, p)| p.counter == pending.counter) {
                Some(known) if known.1.age <= pending.age => {}
                Some(known) => *known = (mistake, *pending),
                None => found.push((mistake, *pending)),
            }
        }
        for (mistake, pending) in &mut found {
            mistake.wait = state.wait_for(pending);
        }
        found
    }

    /// Returns the use of a node that comes too early for one access in flight.
    fn mistake(&self, pending: &Pending, node: usize) -> Option<Mistake> {
        let uses = &self.uses[node];
        let read = uses.reads.both(&pending.loads);
        if !read.is_empty() {
            return Some(Mistake::read(read));
        }
        let written = uses.writes.both(&pending.loads);
        let in_order = uses.in_order == Some(pending.kind);
        if !written.is_empty() && !in_order && !pending.other_lanes {
            return Some(Mistake::overwritten(written));
        }
        let locked = uses.writes.both(&pending.locks);
        if !locked.is_empty() {
            return Some(Mistake::source(locked));
        }
        let at_barrier = self.graph.nodes[node].inst.op == Sopp::S_BARRIER.into();
        let shared = pending.lds.filter(|_| at_barrier && !self.graph.alone);
        let shared = shared.filter(|lds| self.reach.conflicts(node, *lds));
        shared.map(Mistake::passed_on)
    }
}

impl Analysis for Waits<'_> {
    type State = State;

    fn start(&self) -> State {
        self.calls.before(self.graph)
    }

    fn join(&self, state: &mut State, other: &State) -> bool {
        state.join(other)
    }

    fn step(&self, state: &mut State, node: usize) {
        // Reported accesses count as done.
        for (mistake, pending) in self.mistakes(state, node) {
            state.wait(pending.counter, mistake.wait);
        }
        let uses = &self.uses[node];
        state.write(&uses.writes, uses.writes.scalars().any(|n| n >= EXEC));
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

fn immediate(inst: &Inst) -> u16 {
    match inst.operand(Field::Simm16) {
        Operand::Imm(bits) => bits as u16,
        _ => u16::MAX,
    }
}
