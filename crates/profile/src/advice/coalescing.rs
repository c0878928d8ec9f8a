//! Accesses to global memory that touch more lines than their bytes would fill.

use super::row::{Advice, Rule, Subject};
use crate::figures::share;
use crate::lines::Line;
use crate::model::{Instruction, Memory, Space};
use crate::number::{grouped, mean, percent};

/// Lines that are touched for each line that would do, from which on an access is scattered. A start that is not aligned touches
/// one line more, which is less than this for the 256 bytes of a wave.
const SCATTERED: f64 = 2.0;
/// Part of the kernel's lines from which on a place is worth a word.
const SHARE: f64 = 0.05;

pub(super) static RULE: Rule = Rule {
    name: "coalescing",
    finds: "The lanes of a wave access global memory in many more lines of 64 bytes than their bytes would fill.",
    why: "A chip moves whole lines between its caches and memory, 64 bytes each, and 128 from CDNA on. An access takes a step for each line: \
          a wave that touches 64 lines takes 16 times as long as one whose 256 bytes lie side by side, and moves 16 times the bytes.",
    threshold: "Twice the lines that the different bytes of the accesses would fill, and 5 % of the lines that the kernel touches.",
    help: "let neighbouring work-items access neighbouring elements: index by threadIdx.x last",
    limits: "Lines that other waves or later accesses find in a cache are counted as well. A gather by indices from memory may have no better order.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    let all = subject.figures.of_space(Space::Global).lines_64;
    let mut given = Vec::new();
    for line in &subject.lines {
        // A line that loads scattered elements may store them side by side.
        for memory in line.figures.memory.values() {
            if memory.space == Space::Global {
                given.extend(scattered(line, memory, all));
            }
        }
    }
    given
}

/// Returns advice about the accesses of one kind in a line of source, if they are scattered. The kernel touches `all` lines.
fn scattered(line: &Line<'_>, memory: &Memory, all: u64) -> Option<Advice> {
    let ratio = share(memory.lines_64, memory.least_lines_64)?;
    let part = share(memory.lines_64, all)?;
    if ratio < SCATTERED || part < SHARE {
        return None;
    }
    let lost = memory.lines_64.saturating_sub(memory.least_lines_64);
    let message = format!(
        "each wave touches {} lines where {} would do",
        mean(memory.lines_64, memory.accesses),
        mean(memory.least_lines_64, memory.accesses)
    );
    let lines = |instruction: &Instruction| {
        let own = instruction.memory.iter();
        let own = own.filter(|other| (other.space, other.kind) == (memory.space, memory.kind));
        own.map(|other| other.lines_64).sum::<u64>()
    };
    let label = format!("{} of the kernel's lines are touched here", percent(part));
    let advice = Advice::of(&RULE, share(lost, all)?, message).at(line, lines, label);
    Some(advice.note(format!(
        "lanes asked for {} bytes, and the lines of 64 bytes that they touched have {}",
        grouped(memory.bytes),
        grouped(memory.lines_64 * 64)
    )))
}
