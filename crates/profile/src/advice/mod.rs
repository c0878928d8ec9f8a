//! Advice about kernels: a file for each rule, with the counts from which on it says something.
//!
//! Pages of the documentation and `wavetank profile --explain` are made of the rules, so that they cannot differ.

mod atomics;
mod coalescing;
mod divergence;
mod few_groups;
mod lds_banks;
mod occupancy;
mod partial_waves;
mod row;
mod scratch;
mod slow_math;
mod uniform_load;
mod waits;

use std::fmt::Write;

use crate::figures::{Figures, share};
use crate::lines::lines_of;
use crate::model::Profile;
use row::Subject;
pub use row::{Advice, Rule};

impl Rule {
    /// Every rule, in the order of the documentation.
    pub const ALL: [&'static Rule; 11] = [
        &coalescing::RULE,
        &uniform_load::RULE,
        &lds_banks::RULE,
        &divergence::RULE,
        &partial_waves::RULE,
        &scratch::RULE,
        &atomics::RULE,
        &waits::RULE,
        &occupancy::RULE,
        &few_groups::RULE,
        &slow_math::RULE,
    ];

    /// Returns the rule of a name.
    pub fn of(name: &str) -> Option<&'static Rule> {
        Rule::ALL.into_iter().find(|rule| rule.name == name)
    }

    /// Returns a page about the rule, in Markdown.
    pub fn page(&self) -> String {
        let mut page = format!("# {}\n\n{}\n", self.name, self.finds);
        for (title, text) in [
            ("Why it costs", self.why),
            ("Threshold", self.threshold),
            ("Help", self.help),
            ("Limits", self.limits),
        ] {
            writeln!(page, "\n## {title}\n\n{text}").expect("a string takes all");
        }
        page
    }
}

/// Returns the advice about all kernels of a profile, that with the largest part of the executed instructions first.
pub fn all(profile: &Profile) -> Vec<Advice> {
    let mut given = Vec::new();
    let of_kernel = |kernel| Figures::of(kernel).executions;
    let executions: u64 = profile.kernels.iter().map(of_kernel).sum();
    for (n, kernel) in profile.kernels.iter().enumerate() {
        let subject = Subject {
            kernel,
            figures: Figures::of(kernel),
            lines: lines_of(kernel),
        };
        let part = share(subject.figures.executions, executions).unwrap_or(0.0);
        for rule in Rule::ALL {
            let advice = (rule.judge)(&subject).into_iter();
            given.extend(advice.map(|advice| Advice {
                kernel: n,
                weight: advice.weight * part,
                ..advice
            }));
        }
    }
    given.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    given
}

#[cfg(test)]
mod tests;
