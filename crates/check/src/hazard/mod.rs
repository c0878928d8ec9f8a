//! `hazard`: missing wait states between instructions that follow each other too closely for the hardware.
//!
//! Along every path, the effects of producers (first instructions of hazards) are kept for as long as they matter, which is five
//! wait states at most, and twenty after matrix instructions. An instruction is one wait state, `s_nop` as many as its operand
//! says. After a call, and at the start of a kernel or function, there are no effects: what is called is not counted.

mod cdna_rows;
mod consumer;
mod facts;
mod finding;
mod link;
mod matrix;
mod need;
mod producer;
mod row;
mod rows;
mod scalar_uses;
#[cfg(test)]
mod tests;
mod valu;
mod vcc;
mod vector_uses;

use wavetank_gcn::tables::Sopp;
use wavetank_gcn::{Field, Generation, Inst, Operand};

pub use facts::{Hazard, hazards_of};

use crate::code::{Graph, Node};
use crate::finding::Findings;
use crate::flow::{Analysis, walk};
pub(crate) use need::{Column, Need};
use producer::{PRODUCERS, Producer, has_vector};
pub(crate) use row::Row;
pub(crate) use rows::rows;
use vcc::VccAlias;

/// Adds the missing wait states of a graph.
pub(crate) fn check(graph: &Graph, findings: &mut Findings) {
    let hazards = Hazards::of(graph);
    walk(graph, &hazards, |state, node| {
        hazards.judge(state, &graph.nodes[node], findings);
    });
}

/// A producer that was executed recently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Done {
    producer: Producer,
    /// The number of the register that was set.
    number: u16,
    /// The index of the producer's node.
    node: usize,
    /// The number of wait states since then.
    ago: u8,
}

impl Done {
    fn key(&self) -> (Producer, u16, usize) {
        (self.producer, self.number, self.node)
    }
}

/// A hazard without all of its wait states.
#[derive(Clone, Copy)]
struct Missed {
    /// The index of the row among those of the chip.
    row: usize,
    done: Done,
    need: u8,
}

impl Missed {
    fn missing(&self) -> u8 {
        self.need - self.done.ago
    }
}

/// The hazards of a graph.
struct Hazards<'g> {
    graph: &'g Graph,
    alias: VccAlias,
    /// The hazards of the graph's chip, with the wait states that each needs.
    rows: Vec<(&'static Row, Need)>,
    /// For each producer, the indices of its rows.
    of_producer: [Vec<usize>; PRODUCERS],
    /// For each producer, the number of wait states for which it matters.
    matters: [u8; PRODUCERS],
}

impl<'g> Hazards<'g> {
    fn of(graph: &'g Graph) -> Hazards<'g> {
        let column = Column::of(graph.chip);
        let rows = rows().map(|row| (row, row.need(column)));
        let rows: Vec<_> = rows.filter(|(_, need)| *need != Need::Never).collect();
        let mut matters = [0; PRODUCERS];
        let mut of_producer = [const { Vec::new() }; PRODUCERS];
        for (n, (row, need)) in rows.iter().enumerate() {
            let longest = &mut matters[row.producer as usize];
            *longest = need.most().max(*longest);
            of_producer[row.producer as usize].push(n);
        }
        Hazards {
            graph,
            alias: VccAlias::of(graph.kernel.as_ref(), graph.chip.generation()),
            rows,
            of_producer,
            matters,
        }
    }

    /// Returns the hazards with too few wait states before a node.
    fn missed<'a>(
        &'a self,
        state: &'a [Done],
        node: &'a Node,
    ) -> impl Iterator<Item = Missed> + 'a {
        state.iter().flat_map(move |&done| {
            let first = &self.graph.nodes[done.node].inst;
            let passes = matrix::passes(first);
            let rows = self.of_producer[done.producer as usize].iter();
            rows.filter_map(move |&n| {
                let (row, need) = self.rows[n];
                let need = need.states(passes);
                let missed = done.ago < need
                    && row.consumer.is(node, done.number, self.alias)
                    && row.link.holds(first, &node.inst, done.number);
                missed.then_some(Missed { row: n, done, need })
            })
        })
    }

    /// Adds the missing wait states before a node: for each row those after one first instruction, for each first instruction those
    /// of one row. It is the one that lacks the most wait states.
    fn judge(&self, state: &[Done], node: &Node, findings: &mut Findings) {
        let mut all: Vec<Missed> = self.missed(state, node).collect();
        all.sort_by_key(|missed| missed.row);
        let most_of = |key: fn(&Missed) -> usize, all: Vec<Missed>| {
            let mut kept: Vec<Missed> = Vec::new();
            for missed in all {
                match kept.iter_mut().find(|kept| key(kept) == key(&missed)) {
                    Some(kept) if kept.missing() < missed.missing() => *kept = missed,
                    Some(_) => {}
                    None => kept.push(missed),
                }
            }
            kept
        };
        let all = most_of(|missed| missed.row, all);
        for missed in most_of(|missed| missed.done.node, all) {
            findings.add(self.finding(&missed, node));
        }
    }
}

impl Analysis for Hazards<'_> {
    /// The recent producers, in the order of their keys.
    type State = Vec<Done>;

    fn start(&self) -> Vec<Done> {
        Vec::new()
    }

    fn join(&self, state: &mut Vec<Done>, other: &Vec<Done>) -> bool {
        let mut new = false;
        for done in other {
            match state.binary_search_by_key(&done.key(), Done::key) {
                Ok(at) if done.ago < state[at].ago => {
                    state[at] = *done;
                    new = true;
                }
                Ok(_) => {}
                Err(at) => {
                    state.insert(at, *done);
                    new = true;
                }
            }
        }
        new
    }

    fn step(&self, state: &mut Vec<Done>, node: usize) {
        let at = &self.graph.nodes[node];
        if at.successors.calls {
            state.clear();
            return;
        }
        self.count_as_waited(state, at);
        let taken = wait_states(&at.inst);
        let between = between(state, at, node);
        state.retain_mut(|done| {
            done.ago = done.ago.saturating_add(taken);
            done.ago < self.matters[done.producer as usize]
                && !done.producer.is_over(done.number, at)
        });
        for done in between {
            self.add(state, done);
        }
        Producer::each(at, |producer, number| {
            let done = Done {
                producer,
                number,
                node,
                ago: 0,
            };
            self.add(state, done);
        });
    }
}

impl Hazards<'_> {
    /// Adds a producer to a state, if it matters on the chip.
    fn add(&self, state: &mut Vec<Done>, done: Done) {
        if done.ago >= self.matters[done.producer as usize] {
            return;
        }
        match state.binary_search_by_key(&done.key(), Done::key) {
            Ok(at) => state[at] = done,
            Err(at) => state.insert(at, done),
        }
    }

    /// Gives a first instruction the wait states that it is missing at a node, so that they are reported once.
    fn count_as_waited(&self, state: &mut [Done], node: &Node) {
        let missed: Vec<Missed> = self.missed(state, node).collect();
        for Missed { done, need, .. } in missed {
            let same = state.iter_mut().filter(|other| other.node == done.node);
            same.for_each(|other| other.ago = other.ago.max(need));
        }
    }
}

/// Returns the producers that an instruction makes of the VALU instruction right before it.
fn between(state: &[Done], node: &Node, index: usize) -> Vec<Done> {
    let inst = &node.inst;
    let is_dgemm = matrix::MatrixKind::of(inst).is_some_and(matrix::MatrixKind::is_dgemm);
    let moves = matrix::is_accvgpr_read(inst) || matrix::is_accvgpr_write(inst);
    if !is_dgemm && !moves {
        return Vec::new();
    }
    let before = state
        .iter()
        .filter(|done| done.producer == Producer::ValuVector && done.ago == 0);
    before
        .filter(|done| !has_vector(&node.effects.writes, done.number))
        .map(|&done| {
            if is_dgemm {
                let producer = Producer::ValuThenDgemm;
                Done {
                    producer,
                    ago: 1,
                    ..done
                }
            } else {
                let producer = Producer::ValuThenAccvgpr;
                Done {
                    producer,
                    node: index,
                    ..done
                }
            }
        })
        .collect()
}

/// Returns the minimum number of wait states that an instruction takes.
///
/// `s_nop` uses four bits of its operand, and three before gfx8 (Vega ISA, 12.5 "SOPP Instructions"; LLVM, `getSNopBits`).
fn wait_states(inst: &Inst) -> u8 {
    let mask = match inst.chip.generation() {
        Generation::Gfx6 | Generation::Gfx7 => 7,
        Generation::Gfx8 | Generation::Gfx9 => 15,
    };
    match inst.operand(Field::Simm16) {
        Operand::Imm(count) if inst.op == Sopp::S_NOP.into() => (count & mask) as u8 + 1,
        _ => 1,
    }
}
