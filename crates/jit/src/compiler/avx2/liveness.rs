//! Liveness of halves: those that are live after each item of a list, up to a fixed point over its labels.

use iced_x86::Code;

use crate::compiler::asm::Label;
use crate::compiler::asm::inst_list::{self, Item, Unit, Units};

/// The halves that each item reads, and those that are live after it.
pub(super) struct Liveness {
    reads: Vec<Units>,
    after: Vec<Units>,
    /// The halves that are live at each label.
    labels: Vec<Units>,
}

impl Liveness {
    pub(super) fn of(list: &[Item]) -> Liveness {
        let effects: Vec<_> = list.iter().map(effects).collect();
        let labels = list.iter().filter_map(|item| match item {
            Item::Place(label) | Item::Jump(_, label) => Some(label.0 + 1),
            _ => None,
        });
        let mut live = Liveness {
            reads: effects.iter().map(|(reads, _)| *reads).collect(),
            after: vec![0; list.len()],
            labels: vec![0; labels.max().unwrap_or(0)],
        };
        // Loops add to the halves that are live at their labels, up to a fixed point.
        while live.pass(list, &effects) {}
        live
    }

    /// One pass over the list, backwards. Returns whether a label has more live halves than before.
    fn pass(&mut self, list: &[Item], effects: &[(Units, Units)]) -> bool {
        let (mut now, mut is_more) = (0, false);
        for (at, item) in list.iter().enumerate().rev() {
            match item {
                Item::Jump(Code::Jmp_rel32_64, label) => now = self.labels[label.0],
                Item::Jump(_, label) => now |= self.labels[label.0],
                Item::Host(instruction) if inst_list::is_end(instruction.code()) => now = 0,
                Item::Place(label) => {
                    is_more |= self.labels[label.0] != now;
                    self.labels[label.0] = now;
                }
                _ => {}
            }
            self.after[at] = now;
            let (reads, writes) = effects[at];
            now = now & !writes | reads;
        }
        is_more
    }

    /// The halves that are live after an item.
    pub(super) fn after(&self, at: usize) -> Units {
        self.after[at]
    }

    /// The halves that are live at a label.
    pub(super) fn at(&self, label: Label) -> Units {
        self.labels[label.0]
    }

    /// The half among some that is read last, within the lookahead from an item; any one that is not read.
    pub(super) fn last_read(&self, at: usize, among: Units) -> Unit {
        const AHEAD: usize = 200;
        let mut left = among;
        for reads in self.reads[at..].iter().take(AHEAD) {
            if left & !reads == 0 {
                break;
            }
            left &= !reads;
        }
        left.trailing_zeros() as Unit
    }
}

fn effects(item: &Item) -> (Units, Units) {
    match item {
        Item::Wide(wide) => {
            let effects = wide.effects();
            (effects.reads, effects.writes)
        }
        Item::Host(instruction) => (0, inst_list::clobbers(instruction.code())),
        _ => (0, 0),
    }
}
