//! Jumps and labels: all jumps to a label arrive with the register assignment of the first.

use iced_x86::Code;

use super::lowering::Lowering;
use super::state::{Content, LOAD, State, slot_of, ymm};
use crate::compiler::asm::Label;
use crate::compiler::asm::inst_list::{Units, unit};

impl Lowering<'_> {
    /// Places a label, and continues with its register assignment.
    pub(super) fn place(&mut self, label: Label) {
        if self.is_reached {
            self.meet(label);
        }
        if self.labels.get(label).is_none() {
            // If only later jumps lead here, halves are in their spill slots.
            self.labels.set(label, State::new());
        }
        self.state = self.labels.get(label).cloned().unwrap_or_else(State::new);
        self.asm.place(label);
        self.is_reached = true;
    }

    /// Emits a jump with the assignment of its label.
    pub(super) fn jump(&mut self, code: Code, label: Label) {
        if code == Code::Jmp_rel32_64 {
            if self.is_reached {
                self.meet(label);
            }
            self.asm.jump(code, label);
            self.is_reached = false;
            return;
        }
        let live = self.liveness.at(label);
        if self.labels.get(label).is_none_or(|s| self.is_met(s, live)) {
            self.meet(label);
            return self.asm.jump(code, label);
        }
        // The moves are on the path of the jump only.
        let (over, here) = (self.asm.label(), self.state.clone());
        self.asm.jump(code.negate_condition_code(), over);
        self.meet(label);
        self.asm.jump(Code::Jmp_rel32_64, label);
        self.asm.place(over);
        self.state = here;
    }

    /// Moves all halves that are live at a label to the assignment there. Flags are preserved.
    fn meet(&mut self, label: Label) {
        let live = self.liveness.at(label);
        let Some(there) = self.labels.get(label).cloned() else {
            let mut state = self.state.clone();
            state.keep(live);
            state.forget_constants();
            self.labels.set(label, state);
            return;
        };
        for k in live_masks(live) {
            self.change_form(k, there.forms[k]);
        }
        for n in 0..there.contents.len() {
            if let Content::Unit { unit, dirty: true } = self.state.contents[n]
                && live >> unit & 1 == 1
                && self.state.contents[n] != there.contents[n]
            {
                self.save(n);
            }
        }
        for (n, content) in there.contents.into_iter().enumerate() {
            let Content::Unit { unit, .. } = content else {
                continue;
            };
            if !holds(&self.state, n, unit) {
                let (to, from) = (ymm(n), slot_of(unit));
                self.asm.op(LOAD, &[to.into(), from.into()]);
            }
        }
    }

    /// Whether the current assignment agrees with that of a label.
    fn is_met(&self, there: &State, live: Units) -> bool {
        let here = &self.state;
        live_masks(live).all(|k| here.forms[k] == there.forms[k])
            && (0..there.contents.len()).all(|n| match (here.contents[n], there.contents[n]) {
                (Content::Unit { dirty: true, .. }, content) => {
                    content == here.contents[n]
                        || !is_live(here.contents[n], live) && content == Content::Nothing
                }
                (_, Content::Unit { unit, .. }) => holds(here, n, unit),
                _ => true,
            })
    }
}

fn is_live(content: Content, live: Units) -> bool {
    matches!(content, Content::Unit { unit, .. } if live >> unit & 1 == 1)
}

fn holds(state: &State, n: usize, wanted: usize) -> bool {
    matches!(state.contents[n], Content::Unit { unit, .. } if unit == wanted)
}

/// The numbers of the live masks.
fn live_masks(live: Units) -> impl Iterator<Item = usize> {
    let first = |k: usize| unit(iced_x86::Register::K0 + k as u32, 0);
    (0..8).filter(move |k| live >> first(*k) & 3 != 0)
}
