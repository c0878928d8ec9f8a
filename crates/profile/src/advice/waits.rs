//! Waits that follow their loads too soon.

use super::row::{Advice, Rule, Subject};
use crate::figures::share;
use crate::model::Instruction;
use crate::number::{counted, percent};

/// Instructions between an access and its wait, in the mean, below which nothing is done meanwhile.
const NEAR: f64 = 4.0;
/// Part of the kernel's instructions from which on a wait is worth a word.
const SHARE: f64 = 0.02;
/// Waves of a SIMD from which on others fill the time.
const MANY: u32 = 8;

pub(super) static RULE: Rule = Rule {
    name: "waits",
    finds: "Waves wait for a load a few instructions after they issue it, and few other waves fill the time.",
    why: "A load from memory takes hundreds of cycles. They are hidden by instructions of the wave between the load and its wait, and by the \
          other waves of the SIMD.",
    threshold: "Fewer than 4 instructions from the load to its wait in the mean, 2 % of the kernel's instructions, and fewer than 8 waves of a SIMD.",
    help: "issue loads earlier: load the data of the next iteration before the work of this one, or unroll the loop",
    limits: "Time is not counted: a load that finds its data in a cache takes less. Waits for LDS and scalar loads count as those for memory do.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    if subject.kernel.occupancy.waves_per_simd >= MANY {
        return Vec::new();
    }
    let mut given = Vec::new();
    for line in &subject.lines {
        let waits = || line.instructions.iter().filter_map(|i| i.wait.as_ref());
        let needed: u64 = waits().map(|wait| wait.needed).sum();
        let ahead: u64 = waits().map(|wait| wait.ahead).sum();
        let part = share(needed, subject.figures.executions).unwrap_or(0.0);
        let near = share(ahead, needed).is_some_and(|ahead| ahead < NEAR);
        if !near || part < SHARE {
            continue;
        }
        let message = format!(
            "waves wait {} after they issue a load",
            counted(ahead, needed, "instruction")
        );
        let own = |i: &Instruction| i.wait.as_ref().map_or(0, |wait| wait.needed);
        let label = format!(
            "{} of the kernel's instructions are this wait",
            percent(part)
        );
        let advice = Advice::of(&RULE, part, message).at(line, own, label);
        given.push(advice.note(format!(
            "a SIMD holds {} waves of this kernel",
            subject.kernel.occupancy.waves_per_simd
        )));
    }
    given
}
