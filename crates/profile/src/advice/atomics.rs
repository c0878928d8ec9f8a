//! Atomics of lanes of one wave at the same place.

use super::row::{Advice, Rule, Subject};
use crate::figures::share;
use crate::model::{Instruction, Kind, Memory, Space};
use crate::number::{mean, percent};

/// Part of the lanes of atomics that change a place which an earlier lane changed, from which on it is worth a word.
const COLLIDING: f64 = 0.5;
/// Part of the kernel's instructions from which on a place is worth a word.
const SHARE: f64 = 0.005;

pub(super) static RULE: Rule = Rule {
    name: "atomics",
    finds: "Lanes of a wave change the same place by an atomic.",
    why: "Changes of one place are done one after another: an atomic of 64 lanes at one place takes 64 times as long as one at 64 places.",
    threshold: "Half of the lanes change a place that an earlier lane of the same access changed, and 0.5 % of the kernel's instructions.",
    help: "combine the values of a wave first, by __shfl_down or in LDS, and let one lane do the atomic",
    limits: "The compiler combines some additions of the same value itself. Collisions between waves are not counted.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    let mut given = Vec::new();
    for line in &subject.lines {
        let atomics = line.figures.memory.iter();
        let atomics =
            atomics.filter(|((space, kind), _)| *kind == Kind::Atomic && *space != Space::Scratch);
        let worst = atomics
            .map(|(_, memory)| memory)
            .max_by_key(|memory| memory.collisions);
        let Some(Memory {
            accesses,
            lanes,
            collisions,
            ..
        }) = worst
        else {
            continue;
        };
        let colliding = share(*collisions, *lanes).unwrap_or(0.0);
        let part = share(*accesses, subject.figures.executions).unwrap_or(0.0);
        if colliding < COLLIDING || part < SHARE {
            continue;
        }
        let message = format!(
            "{} of {} lanes of an atomic change a place that another lane changes",
            mean(*collisions, *accesses),
            mean(*lanes, *accesses)
        );
        let own = |i: &Instruction| i.memory.iter().map(|memory| memory.collisions).sum::<u64>();
        let label = format!("{} of the kernel's instructions", percent(part));
        // Each collision is a step of its own.
        let weight = part * mean_lanes(*lanes, *accesses);
        given.push(Advice::of(&RULE, weight, message).at(line, own, label));
    }
    given
}

fn mean_lanes(lanes: u64, accesses: u64) -> f64 {
    share(lanes, accesses).unwrap_or(0.0)
}
