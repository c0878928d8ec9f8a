//! Accesses to LDS whose lanes wait for each other's bank.

use super::row::{Advice, Rule, Subject};
use crate::figures::share;
use crate::model::{Instruction, Space};
use crate::number::{mean, percent};

/// Cycles for each cycle that would do, from which on accesses conflict.
const CONFLICTING: f64 = 1.5;
/// Part of the kernel's cycles of LDS from which on a place is worth a word.
const SHARE: f64 = 0.05;

pub(super) static RULE: Rule = Rule {
    name: "lds-banks",
    finds: "Lanes that access LDS together use different addresses of the same bank.",
    why: "LDS has 32 banks of 4 bytes, and a bank serves one address in a cycle. With a stride of 32 elements all lanes use one \
          bank, and the access takes 32 times as long.",
    threshold: "One and a half times the cycles that the same lanes would take without conflicts, and 5 % of the kernel's cycles of LDS.",
    help: "pad the rows of the array by one element, as in tile[32][33]",
    limits: "Cycles are counted by the banks that the documents of the chip name. Lanes that read the same address do not conflict.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    let all = subject.figures.of_space(Space::Lds).bank_cycles;
    let mut given = Vec::new();
    for line in &subject.lines {
        let memory = line.figures.of_space(Space::Lds);
        let ratio = share(memory.bank_cycles, memory.least_bank_cycles).unwrap_or(0.0);
        let part = share(memory.bank_cycles, all).unwrap_or(0.0);
        if ratio < CONFLICTING || part < SHARE {
            continue;
        }
        let message = format!(
            "each access to LDS takes {} cycles where {} would do",
            mean(memory.bank_cycles, memory.accesses),
            mean(memory.least_bank_cycles, memory.accesses)
        );
        let cycles = |i: &Instruction| {
            i.memory
                .iter()
                .map(|memory| memory.bank_cycles)
                .sum::<u64>()
        };
        let label = format!("{} of the kernel's cycles of LDS", percent(part));
        // An access of LDS and one of memory weigh about the same.
        let lost = share(memory.conflict_cycles(), all).unwrap_or(0.0);
        let advice = Advice::of(&RULE, lost, message);
        given.push(advice.at(line, cycles, label));
    }
    given
}
