//! Transcendental functions, of which divisions are made, products of integers, and doubles.

use super::row::{Advice, Rule, Subject};
use crate::figures::share;
use crate::lines::Line;
use crate::model::{Class, Instruction};
use crate::number::percent;

/// Part of the kernel's instructions from which on slow ones are worth a word.
const SHARE: f64 = 0.15;

pub(super) static RULE: Rule = Rule {
    name: "slow-math",
    finds: "Many vector instructions are transcendental functions, products of 32-bit integers, or work on doubles. Divisions are made of them.",
    why: "They take four times as long as an addition, or longer. A division is ten instructions, and one of integers forty.",
    threshold: "15 % of the kernel's instructions.",
    help: "multiply by the reciprocal, divide integers by constants, use __fdividef and other fast functions where their error is allowed, and \
           write literals of single precision (1.0f)",
    limits: "The results of fast functions differ in the last bits. On Instinct accelerators doubles are not slow.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    let slow = |line: &&Line<'_>| {
        line.figures
            .mix
            .get(&Class::SlowVector)
            .copied()
            .unwrap_or(0)
    };
    let all = subject
        .figures
        .mix
        .get(&Class::SlowVector)
        .copied()
        .unwrap_or(0);
    let part = share(all, subject.figures.executions).unwrap_or(0.0);
    let Some(line) = subject
        .lines
        .iter()
        .max_by_key(slow)
        .filter(|_| part >= SHARE)
    else {
        return Vec::new();
    };
    let message = format!(
        "{} of the instructions are slow vector arithmetic",
        percent(part)
    );
    let label = format!(
        "{} of them here",
        percent(share(slow(&line), all).unwrap_or(0.0))
    );
    let own = |i: &Instruction| {
        if i.class == Class::SlowVector {
            i.executions
        } else {
            0
        }
    };
    vec![Advice::of(&RULE, part, message).at(line, own, label)]
}
