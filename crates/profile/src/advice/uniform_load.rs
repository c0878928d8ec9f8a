//! Vector loads by which all lanes get the same bytes.

use super::row::{Advice, Rule, Subject};
use crate::figures::share;
use crate::model::{Instruction, Kind, Space};
use crate::number::{mean, percent};

/// Lanes that share a byte, in the mean, from which on a load is taken for one of the same value in all lanes.
const SHARED: f64 = 32.0;
/// Part of the kernel's instructions from which on a place is worth a word.
const SHARE: f64 = 0.01;

pub(super) static RULE: Rule = Rule {
    name: "uniform-load",
    finds: "A vector load gives the same bytes to all lanes of a wave.",
    why: "A scalar load would fetch them once, into registers that all lanes read, and by a cache of its own. A vector load takes a vector \
          register and a turn of the vector memory unit.",
    threshold: "32 lanes for each different byte, in the mean, and 1 % of the kernel's instructions.",
    help: "make the address visibly the same for the wave, so that a scalar load does it: index by blockIdx or arguments, or use \
           __builtin_amdgcn_readfirstlane, and declare the pointer const __restrict__",
    limits: "The address may be the same by chance, for the data of this run. If the kernel writes the memory, a scalar load is not allowed.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    let mut given = Vec::new();
    for line in &subject.lines {
        let Some(memory) = line.figures.memory.get(&(Space::Global, Kind::Load)) else {
            continue;
        };
        let shared = share(memory.bytes, memory.different_bytes).unwrap_or(0.0);
        let part = share(memory.accesses, subject.figures.executions).unwrap_or(0.0);
        if shared < SHARED || part < SHARE {
            continue;
        }
        let message = format!(
            "{} lanes load the same bytes",
            mean(memory.bytes, memory.different_bytes)
        );
        let loads = |i: &Instruction| i.memory.iter().map(|memory| memory.accesses).sum::<u64>();
        let label = format!("{} of the kernel's instructions", percent(part));
        given.push(Advice::of(&RULE, part, message).at(line, loads, label));
    }
    given
}
