//! The hazards in which an instruction can take part, as the checker has them.

use serde::Serialize;
use wavetank::Chip;
use wavetank_check::hazards_of;
use wavetank_gcn::{Form, Op};

/// A hazard, and the part of the instruction in it.
#[derive(Serialize, PartialEq, Eq)]
pub struct Hazard {
    /// The rule of `wavetank check`.
    pub rule: &'static str,
    /// Whether the instruction is the first of the two.
    pub is_first: bool,
    /// The wait states that are needed between the two.
    pub wait_states: u8,
    /// The use by the second instruction, and the action of the first.
    pub when: String,
    pub source: &'static str,
}

/// Returns the hazards of an instruction in some forms.
pub(crate) fn hazards(op: Op, forms: &[Form], chip: Chip) -> Vec<Hazard> {
    let all = hazards_of(op, forms, chip).into_iter();
    let listed = all.map(|hazard| Hazard {
        rule: hazard.rule,
        is_first: hazard.is_first,
        wait_states: hazard.wait_states,
        when: format!("{} after {}", hazard.uses, hazard.after),
        source: hazard.source,
    });
    listed.collect()
}
