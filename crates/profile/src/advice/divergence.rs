//! Branches that part waves, and lanes that idle after them.

use super::row::{Advice, Rule, Subject};
use crate::figures::{LANES, share};
use crate::lines::Line;
use crate::model::Instruction;
use crate::number::{grouped, mean, percent};

/// Active lanes from which on a kernel has no trouble with branches.
const FULL: f64 = 0.8;
/// Lines with idle lanes that are named.
const NAMED: usize = 3;

pub(super) static RULE: Rule = Rule {
    name: "divergence",
    finds: "Lanes of a wave take different ways at a branch, or leave a loop at different times, and the others idle meanwhile.",
    why: "A wave executes both sides of a branch one after another, each with some of its lanes. An instruction takes the same time with \
          one active lane as with 64.",
    threshold: "Less than 80 % of the lanes are active in the kernel's vector and memory instructions, and branches part waves.",
    help: "arrange the work so that the 64 work-items of a wave take the same way, or compute both sides and select",
    limits: "Lanes may idle by intention, in the last steps of a reduction for example. Those of work-groups that do not fill their waves are \
             the subject of `partial-waves`.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    let parts = subject.lines.iter().filter(|line| line.figures.parts > 0);
    let parts = parts.max_by_key(|line| line.figures.parts);
    let (Some(active), Some(line)) = (subject.figures.active_share(), parts) else {
        return Vec::new();
    };
    if active >= FULL {
        return Vec::new();
    }
    let message = format!(
        "{} of the lanes idle after branches that part waves",
        percent(1.0 - active)
    );
    let executions = line.instructions.iter().filter(|i| i.parts > 0);
    let executions = executions.map(|i| i.executions).sum();
    let part = share(line.figures.parts, executions).unwrap_or(0.0);
    let label = format!("{} of the executions part the wave", percent(part));
    let weight = share(
        subject.figures.vector_executions(),
        subject.figures.executions,
    );
    let advice = Advice::of(&RULE, (1.0 - active) * weight.unwrap_or(0.0), message);
    // Compilers give many of these instructions no line; then the line with the most idle lanes is the place.
    let worst = subject.lines.iter().filter(|line| line.frame.is_some());
    let worst = worst.max_by_key(|line| lost(line));
    let advice = match worst.filter(|_| line.frame.is_none()) {
        Some(worst) => advice.at(worst, |i: &Instruction| i.executions, "lanes idle here"),
        None => advice.at(line, |i: &Instruction| i.parts, label),
    };
    vec![idle(subject).into_iter().fold(advice, Advice::note)]
}

/// Returns sentences about the lines with the most idle lanes.
fn idle(subject: &Subject<'_>) -> Vec<String> {
    let mut lines: Vec<(u64, &Line<'_>)> = subject
        .lines
        .iter()
        .map(|line| (lost(line), line))
        .collect();
    lines.sort_by_key(|(lost, _)| std::cmp::Reverse(*lost));
    let worst = lines
        .into_iter()
        .take(NAMED)
        .filter(|(lost, line)| *lost > 0 && line.frame.is_some());
    let sentence = |(_, line): (u64, &Line<'_>)| {
        let executions = line.figures.vector_executions();
        let frame = line.frame?;
        Some(format!(
            "{}:{} has {} active lanes in the mean, in {} executions",
            frame.file,
            frame.line,
            mean(executions * LANES - lost(line), executions),
            grouped(executions)
        ))
    };
    worst.filter_map(sentence).collect()
}

/// Returns the lanes that idled in a line.
fn lost(line: &Line<'_>) -> u64 {
    let idle = |(lanes, times): (&u8, &u64)| (LANES - u64::from(*lanes)) * times;
    line.figures.lanes.iter().map(idle).sum()
}
