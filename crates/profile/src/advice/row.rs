//! A rule of advice, and a piece of advice that it gives.

use crate::figures::Figures;
use crate::lines::Line;
use crate::model::{Instruction, Kernel};

/// A property of kernels that costs time on a chip, and can often be changed.
#[derive(Debug)]
pub struct Rule {
    /// The name in reports.
    pub name: &'static str,
    /// The property in a sentence.
    pub finds: &'static str,
    /// The effect of it on a chip.
    pub why: &'static str,
    /// The counts from which on the rule says something.
    pub threshold: &'static str,
    /// The change that usually helps.
    pub help: &'static str,
    /// Correct and fast code that may be reported, and slow code that is not.
    pub limits: &'static str,
    /// Looks at a kernel.
    pub(super) judge: fn(&Subject<'_>) -> Vec<Advice>,
}

/// A kernel with its sums, for rules.
pub(super) struct Subject<'k> {
    pub kernel: &'k Kernel,
    pub figures: Figures,
    pub lines: Vec<Line<'k>>,
}

/// A piece of advice about a kernel.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The rule.
    pub rule: &'static Rule,
    /// The kernel by its place in the profile.
    pub kernel: usize,
    /// What costs, with its number, in a sentence.
    pub message: String,
    /// The instruction that it is about, with the largest part in it; `None` for the kernel as a whole.
    pub at: Option<Instruction>,
    /// The words under the place in the source.
    pub label: String,
    /// Further numbers.
    pub notes: Vec<String>,
    /// A change that may help.
    pub help: String,
    /// The part of the kernel that is lost, from 0 to 1, and after [`all`](super::all) of the whole profile.
    pub weight: f64,
}

impl Advice {
    /// Returns advice about a kernel as a whole.
    pub(super) fn of(rule: &'static Rule, weight: f64, message: String) -> Advice {
        Advice {
            rule,
            kernel: 0,
            message,
            at: None,
            label: String::new(),
            notes: Vec::new(),
            help: rule.help.to_owned(),
            weight: weight.clamp(0.0, 1.0),
        }
    }

    /// Returns the advice with its place: the instruction of a line that `measure` finds largest.
    pub(super) fn at<N: Ord>(
        mut self,
        line: &Line<'_>,
        measure: impl Fn(&Instruction) -> N,
        label: impl Into<String>,
    ) -> Advice {
        // Of equal ones the first is taken.
        let place = line.instructions.iter().rev().max_by_key(|i| measure(i));
        self.at = place.map(|instruction| (**instruction).clone());
        self.label = label.into();
        self
    }

    /// Returns the advice with a further number.
    pub(super) fn note(mut self, note: impl Into<String>) -> Advice {
        self.notes.push(note.into());
        self
    }

    /// Returns the advice with a help of its own.
    pub(super) fn help(mut self, help: impl Into<String>) -> Advice {
        self.help = help.into();
        self
    }
}
