//! The findings that are known: they are counted, and not shown.

use wavetank_check::Suppressions;
use wavetank_check::report::Baseline;

/// The suppressions and the baselines of a check.
#[derive(Default)]
pub(super) struct Known {
    pub suppressions: Suppressions,
    pub baseline: Baseline,
}
