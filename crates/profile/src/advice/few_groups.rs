//! Launches that leave compute units empty.

use super::row::{Advice, Rule, Subject};
use crate::figures::share;
use crate::number::mean;
use crate::peaks::peaks;

/// Weight of empty units against a count: launches of real data may be larger than those of a test.
const WEIGHT: f64 = 0.1;

pub(super) static RULE: Rule = Rule {
    name: "few-groups",
    finds: "Launches have fewer work-groups than the chip has compute units.",
    why: "A work-group runs on one compute unit, so the others have nothing to do.",
    threshold: "Fewer work-groups in a launch, in the mean, than the best-known product with the chip has compute units.",
    help: "launch smaller work-groups, or more of the problem at once",
    limits: "Launches with real data may be larger than those that were profiled, and kernels of several queues run side by side.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    let kernel = subject.kernel;
    let Some(peaks) = peaks(&kernel.chip) else {
        return Vec::new();
    };
    let units = f64::from(peaks.compute_units);
    let Some(groups) = share(kernel.groups, kernel.launches).filter(|groups| *groups < units)
    else {
        return Vec::new();
    };
    let message = format!(
        "a launch has {} work-groups, and {} has {} compute units",
        mean(kernel.groups, kernel.launches),
        peaks.product,
        peaks.compute_units
    );
    vec![Advice::of(&RULE, (1.0 - groups / units) * WEIGHT, message)]
}
