//! Traffic of registers that do not fit, and of arrays of a work-item.

use super::row::{Advice, Rule, Subject};
use crate::figures::share;
use crate::model::{Instruction, Space};
use crate::number::{grouped, percent};

/// Part of the bytes of memory from which on scratch is worth a word.
const SHARE: f64 = 0.05;

pub(super) static RULE: Rule = Rule {
    name: "scratch",
    finds: "Work-items keep values in scratch: registers that are spilled, or arrays whose index is not a constant.",
    why: "Scratch is memory of the device. Each access goes through the caches, and competes with the data of the kernel.",
    threshold: "5 % of the bytes that the kernel asks of the device's memory.",
    help: "keep fewer values at once, allow more registers by __launch_bounds__, unroll loops over arrays so that indices are constants, or put \
           the array in LDS",
    limits: "Scratch that is used once for a work-item, at the start for example, costs little.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    let bytes = subject.figures.of_space(Space::Scratch).bytes;
    let part = share(bytes, subject.figures.device_bytes()).unwrap_or(0.0);
    let of_line = |line: &&crate::lines::Line<'_>| line.figures.of_space(Space::Scratch).bytes;
    let Some(line) = subject
        .lines
        .iter()
        .max_by_key(of_line)
        .filter(|_| bytes > 0 && part >= SHARE)
    else {
        return Vec::new();
    };
    let message = format!("{} of the bytes of memory are scratch", percent(part));
    let own = share(of_line(&line), bytes).unwrap_or(0.0);
    let label = format!("{} of them here", percent(own));
    let scratch = |i: &Instruction| {
        let own = i
            .memory
            .iter()
            .filter(|memory| memory.space == Space::Scratch);
        own.map(|memory| memory.bytes).sum::<u64>()
    };
    let advice = Advice::of(&RULE, part, message).at(line, scratch, label);
    vec![advice.note(format!(
        "{} bytes in sum; a work-item has {} bytes of scratch and {} VGPRs",
        grouped(bytes),
        subject.kernel.resources.scratch_bytes,
        subject.kernel.resources.vgprs
    ))]
}
