//! `hazard`: missing wait states between instructions that follow each other too closely for the hardware.
//!
//! Along every path, the effects of producers (first instructions of hazards) are kept for as long as they matter, which is five
//! wait states at most. An instruction is one wait state, `s_nop` as many as its operand says. After a call, and at the start of
//! a kernel or function, there are no effects: no function returns soon enough.

mod consumer;
mod facts;
mod producer;
mod rows;
#[cfg(test)]
mod tests;
mod vcc;

use wavetank_gcn::tables::Sopp;
use wavetank_gcn::{Field, Generation, Inst, Operand};

pub use facts::{Hazard, hazards_of};

use crate::code::{Graph, Node};
use crate::finding::{Finding, Findings, Mark};
use crate::flow::{Analysis, walk};
use crate::tool::Tool;
use producer::{PRODUCERS, Producer};
pub(crate) use rows::ROWS;
use rows::Row;
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
    number: u8,
    /// The number of wait states since then.
    ago: u8,
    /// The address of the producer.
    pc: u64,
}

impl Done {
    fn key(&self) -> (Producer, u8) {
        (self.producer, self.number)
    }
}

/// The hazards of a graph.
struct Hazards<'g> {
    graph: &'g Graph,
    generation: Generation,
    alias: VccAlias,
    /// The hazards of the graph's generation.
    rows: Vec<&'static Row>,
    /// For each producer, the number of wait states for which it matters.
    matters: [u8; PRODUCERS],
}

impl<'g> Hazards<'g> {
    fn of(graph: &'g Graph) -> Hazards<'g> {
        let generation = graph.chip.generation();
        let rows = ROWS.iter().filter(|row| row.need(generation) > 0);
        let rows: Vec<&Row> = rows.collect();
        let mut matters = [0; PRODUCERS];
        for row in &rows {
            let longest = &mut matters[row.producer as usize];
            *longest = row.need(generation).max(*longest);
        }
        Hazards {
            graph,
            generation,
            alias: VccAlias::of(graph.kernel.as_ref(), generation),
            rows,
            matters,
        }
    }

    /// Adds the missing wait states before a node. For each row, only the latest producer counts.
    fn judge(&self, state: &[Done], node: &Node, findings: &mut Findings) {
        if state.is_empty() {
            return;
        }
        for row in &self.rows {
            let need = row.need(self.generation);
            let close = state.iter().filter(|done| {
                let may = done.producer == row.producer && done.ago < need;
                may && row.consumer.is(node, done.number, self.alias)
            });
            if let Some(done) = close.min_by_key(|done| done.ago) {
                findings.add(self.finding(row, done, node));
            }
        }
    }

    fn finding(&self, row: &Row, done: &Done, node: &Node) -> Finding {
        let need = row.need(self.generation);
        let text = node.inst.to_string();
        let mnemonic = text.split_whitespace().next().unwrap_or_default();
        let register = done.producer.register(done.number, self.graph.chip);
        let uses = row.uses.replace("{}", &register);
        let distance = match done.ago {
            0 => "right after".to_owned(),
            1 => "1 wait state after".to_owned(),
            n => format!("{n} wait states after"),
        };
        let states = if need == 1 { "state" } else { "states" };
        Finding {
            tool: Tool::Hazard,
            rule: row.name,
            kernel: self.graph.name.clone(),
            message: format!(
                "`{mnemonic}` {uses}, {distance} {}; it needs {need} wait {states} between",
                row.after
            ),
            at: Mark::at(node.pc, uses),
            related: vec![Mark::at(done.pc, done.producer.label(&register))],
            host: Vec::new(),
            notes: vec![row.source.to_owned()],
            help: Some(format!(
                "insert `s_nop {}` before it, or other instructions that take as long",
                need - done.ago - 1
            )),
            times: 1,
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
        let node = &self.graph.nodes[node];
        if node.successors.calls {
            state.clear();
            return;
        }
        let taken = wait_states(&node.inst);
        state.retain_mut(|done| {
            done.ago = done.ago.saturating_add(taken);
            done.ago < self.matters[done.producer as usize]
                && !done.producer.is_over(done.number, node)
        });
        Producer::each(node, |producer, number| {
            if self.matters[producer as usize] == 0 {
                return;
            }
            let done = Done {
                producer,
                number,
                ago: 0,
                pc: node.pc,
            };
            match state.binary_search_by_key(&done.key(), Done::key) {
                Ok(at) => state[at] = done,
                Err(at) => state.insert(at, done),
            }
        });
    }
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
