//! The finding about a hazard, in words.

use wavetank_gcn::Inst;

use super::{Hazards, Missed};
use crate::code::Node;
use crate::finding::{Finding, Mark};
use crate::tool::Tool;

/// The most wait states of one `s_nop` on all generations that have more than three bits for them (Vega ISA, 12.5, S_NOP).
const MOST_OF_NOP: u8 = 16;

impl Hazards<'_> {
    /// Returns the finding about missing wait states before a node.
    pub(super) fn finding(&self, missed: &Missed, node: &Node) -> Finding {
        let Missed { row, done, need } = *missed;
        let (row, _) = self.rows[row];
        let first = &self.graph.nodes[done.node];
        let register = done.producer.register(done.number, self.graph.chip);
        let uses = row.uses.replace("{}", &register);
        let after = row.after.replace("{}", &name(&first.inst));
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
                "{} {uses}, {distance} {after}; it needs {need} wait {states} between",
                name(&node.inst)
            ),
            at: Mark::at(node.pc, uses),
            related: vec![Mark::at(first.pc, done.producer.label(&register))],
            host: Vec::new(),
            notes: vec![row.source.to_owned()],
            help: Some(format!(
                "insert {} before it, or other instructions that take as long",
                nops(missed.missing())
            )),
            address: None,
            also: Vec::new(),
            times: 1,
        }
    }
}

/// Returns the mnemonic of an instruction, quoted.
fn name(inst: &Inst) -> String {
    let text = inst.to_string();
    format!("`{}`", text.split_whitespace().next().unwrap_or_default())
}

/// Returns the instructions that take so many wait states.
fn nops(states: u8) -> String {
    match states.checked_sub(MOST_OF_NOP) {
        None | Some(0) => format!("`s_nop {}`", states - 1),
        Some(more) => format!("`s_nop {}` and `s_nop {}`", MOST_OF_NOP - 1, more - 1),
    }
}
