//! The comparison of two profiles, for continuous integration: which counts have changed, and by how much.

use std::collections::{BTreeMap, HashMap};

use crate::figures::Figures;
use crate::model::{Class, Kernel, Kind, Memory, Profile, Space};

/// A count that has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The kernel; `None` for the sum of all.
    pub kernel: Option<String>,
    /// The count.
    pub count: &'static str,
    /// The earlier count.
    pub old: u64,
    /// The present one.
    pub new: u64,
}

/// The differences of two profiles.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// The counts that have changed: the sums of all kernels first, then those of each kernel that is in both profiles.
    pub changes: Vec<Change>,
    /// Kernels that only the present profile has.
    pub added: Vec<String>,
    /// Kernels that only the earlier profile has.
    pub removed: Vec<String>,
}

impl Change {
    /// Returns the growth in percent, which is negative for a smaller count and infinite for a count that was 0.
    pub fn percent(&self) -> f64 {
        if self.old == 0 {
            f64::INFINITY
        } else {
            (self.new as f64 - self.old as f64) / self.old as f64 * 100.0
        }
    }

    /// Whether the count has grown by more than so many percent.
    pub fn grows_by_more_than(&self, percent: f64) -> bool {
        self.new > self.old && self.percent() > percent
    }
}

/// Compares the counts of an earlier profile with those of the present one. Kernels of one name and chip are one. A kernel that is
/// only in one of the profiles counts in the sums alone.
pub fn compare(old: &Profile, new: &Profile) -> Comparison {
    let (old, new) = (by_name(old), by_name(new));
    let mut comparison = Comparison::default();
    let sum = |kernels: &BTreeMap<String, Counts>| {
        let mut all = Counts::default();
        kernels.values().for_each(|counts| all.add(counts));
        all
    };
    comparison
        .changes
        .extend(changes(None, &sum(&old), &sum(&new)));
    for (name, now) in &new {
        match old.get(name) {
            Some(before) => comparison.changes.extend(changes(Some(name), before, now)),
            None => comparison.added.push(name.clone()),
        }
    }
    let removed = old.keys().filter(|name| !new.contains_key(*name));
    comparison.removed.extend(removed.cloned());
    comparison
}

/// Counts by their names.
#[derive(Default)]
struct Counts(HashMap<&'static str, u64>);

impl Counts {
    fn add(&mut self, other: &Counts) {
        for (name, count) in &other.0 {
            *self.0.entry(name).or_default() += count;
        }
    }
}

/// The names of the counts that are compared, in the order of reports.
pub const COUNTS: [&str; 14] = [
    "launches",
    "waves",
    "instructions",
    "vector instructions",
    "memory instructions",
    "LDS instructions",
    "parting branches",
    "bytes of memory",
    "lines of 64 bytes",
    "lines of 128 bytes",
    "bytes of scratch",
    "cycles of LDS",
    "atomics",
    "collisions of atomics",
];

fn changes(kernel: Option<&String>, old: &Counts, new: &Counts) -> Vec<Change> {
    let change = |count: &'static str| Change {
        kernel: kernel.cloned(),
        count,
        old: old.0.get(count).copied().unwrap_or(0),
        new: new.0.get(count).copied().unwrap_or(0),
    };
    let all = COUNTS.into_iter().map(change);
    all.filter(|change| change.old != change.new).collect()
}

/// Returns the counts of the kernels by name; with the chip, if there are several.
fn by_name(profile: &Profile) -> BTreeMap<String, Counts> {
    let first = profile.kernels.first().map(|kernel| &kernel.chip);
    let is_one = profile
        .kernels
        .iter()
        .all(|kernel| Some(&kernel.chip) == first);
    let mut kernels: BTreeMap<String, Counts> = BTreeMap::new();
    for kernel in &profile.kernels {
        let name = if is_one {
            kernel.name.clone()
        } else {
            format!("{} on {}", kernel.name, kernel.chip)
        };
        kernels.entry(name).or_default().add(&counts(kernel));
    }
    kernels
}

fn counts(kernel: &Kernel) -> Counts {
    let figures = Figures::of(kernel);
    let of = |class| figures.mix.get(&class).copied().unwrap_or(0);
    let global = figures.of_space(Space::Global);
    let atomics = |count: fn(&Memory) -> u64| {
        let atomics = figures
            .memory
            .iter()
            .filter(|((_, kind), _)| *kind == Kind::Atomic);
        atomics.map(|(_, memory)| count(memory)).sum()
    };
    let values = [
        kernel.launches,
        kernel.waves,
        figures.executions,
        of(Class::Vector) + of(Class::SlowVector) + of(Class::Matrix),
        of(Class::Memory) + of(Class::ScalarMemory),
        of(Class::Lds),
        figures.parts,
        figures.device_bytes(),
        global.lines_64,
        global.lines_128,
        figures.of_space(Space::Scratch).bytes,
        figures.of_space(Space::Lds).bank_cycles,
        atomics(|memory| memory.accesses),
        atomics(|memory| memory.collisions),
    ];
    Counts(COUNTS.into_iter().zip(values).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{copy, kernel, profile, strided};

    #[test]
    fn equal_profiles_have_no_changes() {
        let profile = profile(vec![copy(), strided()]);
        assert_eq!(compare(&profile, &profile), Comparison::default());
    }

    #[test]
    fn grown_counts_are_listed_for_all_and_by_kernel() {
        let mut worse = strided();
        worse.name = "copy".into();
        let comparison = compare(
            &profile(vec![copy(), kernel("old")]),
            &profile(vec![worse, kernel("new")]),
        );
        assert_eq!(
            (comparison.added, comparison.removed),
            (vec!["new".into()], vec!["old".into()])
        );
        // The load touches 64 lines of 64 bytes, and 32 of 128, where it touched 4 and 2; the store does what it did.
        let change = |kernel: Option<&str>, count, old: u64, new: u64| Change {
            kernel: kernel.map(str::to_owned),
            count,
            old: 16 * old,
            new: 16 * new,
        };
        let expected = [
            change(None, "lines of 64 bytes", 8, 68),
            change(None, "lines of 128 bytes", 4, 34),
            change(Some("copy"), "lines of 64 bytes", 8, 68),
            change(Some("copy"), "lines of 128 bytes", 4, 34),
        ];
        assert_eq!(comparison.changes, expected);
        assert_eq!(expected[0].percent(), 750.0);
        assert!(expected[0].grows_by_more_than(749.9) && !expected[0].grows_by_more_than(750.0));
    }

    #[test]
    fn less_is_not_growth_and_more_than_nothing_is() {
        let change = |old, new| Change {
            kernel: None,
            count: "waves",
            old,
            new,
        };
        assert!(!change(5, 4).grows_by_more_than(0.0) && !change(5, 5).grows_by_more_than(0.0));
        assert!(change(0, 1).grows_by_more_than(1e9));
    }

    #[test]
    fn kernels_of_one_name_are_one_and_chips_are_not() {
        let mut other = copy();
        let two = profile(vec![copy(), copy()]);
        let changed = compare(&profile(vec![copy()]), &two).changes;
        assert!(
            changed
                .iter()
                .any(|c| c.count == "launches" && (c.old, c.new) == (1, 2))
        );
        other.chip = "gfx906".into();
        let comparison = compare(&two, &profile(vec![copy(), other]));
        assert_eq!(comparison.added, ["copy on gfx900", "copy on gfx906"]);
    }
}
