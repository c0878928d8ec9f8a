//! Work-groups that do not fill their waves.

use super::row::{Advice, Rule, Subject};
use crate::figures::LANES;
use crate::number::percent;

/// Part of the lanes that work-groups leave empty from which on it is worth a word.
const EMPTY: f64 = 0.1;

pub(super) static RULE: Rule = Rule {
    name: "partial-waves",
    finds: "Work-groups have a number of work-items that does not fill their waves of 64 lanes.",
    why: "The lanes beyond the last work-item of a group idle in every instruction.",
    threshold: "10 % of the lanes of the waves are empty, over all launches.",
    help: "launch work-groups of a multiple of 64 work-items",
    limits: "The last work-group of a grid, if it is smaller, is not counted. A small grid may have no other size.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    let (mut lanes, mut items, mut worst) = (0.0, 0.0, None);
    for shape in &subject.kernel.shapes {
        let size: u64 = shape
            .block
            .iter()
            .map(|n| u64::from(*n))
            .fold(1, u64::saturating_mul);
        let groups = shape.grid.iter().zip(shape.block);
        let groups: f64 = groups
            .map(|(grid, block)| f64::from(grid.div_ceil(block.max(1))))
            .product();
        let groups = groups * shape.launches as f64;
        let full = size.div_ceil(LANES) as f64 * LANES as f64;
        lanes += groups * full;
        items += groups * size as f64;
        if !size.is_multiple_of(LANES) {
            worst = worst.or(Some(size));
        }
    }
    let (Some(size), true) = (worst, lanes > 0.0) else {
        return Vec::new();
    };
    let empty = 1.0 - items / lanes;
    if empty < EMPTY {
        return Vec::new();
    }
    let message = format!(
        "work-groups of {size} work-items leave {} of the lanes empty",
        percent(empty)
    );
    vec![Advice::of(&RULE, empty, message)]
}
