//! Sets of 32-bit values: what a register may hold.

/// The most ranges of a set. Where there are more, the set also takes the values of its smallest gaps.
const MAX_RANGES: usize = 4;

/// A set of 32-bit values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Values {
    /// Ranges with both ends, in order, with gaps between them.
    ranges: Vec<(u32, u32)>,
}

impl Values {
    /// Returns the set of all values.
    pub(super) fn all() -> Values {
        Values::between(0, u32::MAX)
    }

    /// Returns the set of the values from `first` to `last`.
    pub(super) fn between(first: u32, last: u32) -> Values {
        let ranges = vec![(first, last)];
        Values { ranges }
    }

    /// Returns the set of one value.
    pub(super) fn one(value: u32) -> Values {
        Values::between(value, value)
    }

    /// Returns the set without values.
    pub(super) fn none() -> Values {
        Values { ranges: Vec::new() }
    }

    fn of(mut ranges: Vec<(u32, u32)>) -> Values {
        ranges.sort_unstable();
        let mut all: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ranges {
            match all.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => {
                    before.1 = before.1.max(last);
                }
                _ => all.push((first, last)),
            }
        }
        while all.len() > MAX_RANGES {
            let gap = |at: &usize| all[at + 1].0 - all[*at].1;
            let smallest = (0..all.len() - 1).min_by_key(gap).unwrap_or(0);
            all[smallest].1 = all[smallest + 1].1;
            all.remove(smallest + 1);
        }
        Values { ranges: all }
    }

    /// Whether there is no value in the set.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether every value is in the set.
    pub(super) fn is_all(&self) -> bool {
        *self == Values::all()
    }

    /// Returns the value, if the set has only one.
    pub(super) fn single(&self) -> Option<u32> {
        match self.ranges.as_slice() {
            [(first, last)] if first == last => Some(*first),
            _ => None,
        }
    }

    /// Whether every value of another set is in this one.
    pub(super) fn contains(&self, other: &Values) -> bool {
        other.ranges.iter().all(|(first, last)| {
            let mut ranges = self.ranges.iter();
            ranges.any(|(from, to)| from <= first && last <= to)
        })
    }

    /// Returns the values that are in both sets.
    pub(super) fn both(&self, other: &Values) -> Values {
        let pairs = self.ranges.iter().flat_map(|a| {
            let overlap = |b: &(u32, u32)| (a.0.max(b.0), a.1.min(b.1));
            other.ranges.iter().map(overlap)
        });
        Values::of(pairs.filter(|(first, last)| first <= last).collect())
    }

    /// Returns the values that are in one of the sets.
    pub(super) fn or(&self, other: &Values) -> Values {
        Values::of([self.ranges.as_slice(), &other.ranges].concat())
    }

    /// Returns the sums of the values and a number, modulo 2^32.
    pub(super) fn plus(&self, number: u32) -> Values {
        let moved = self.ranges.iter().flat_map(|(first, last)| {
            let (first, last) = (first.wrapping_add(number), last.wrapping_add(number));
            if first <= last {
                vec![(first, last)]
            } else {
                vec![(first, u32::MAX), (0, last)]
            }
        });
        Values::of(moved.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a value is in a set.
    fn has(values: &Values, value: u32) -> bool {
        values.contains(&Values::one(value))
    }

    #[test]
    fn sets_meet_and_join() {
        let low = Values::between(0, 9);
        let high = Values::between(10, u32::MAX);
        assert!(low.both(&high).is_empty());
        assert!(low.or(&high).is_all());
        let holed = low.or(&Values::between(11, 20));
        assert!(has(&holed, 9) && !has(&holed, 10) && has(&holed, 11));
        assert!(holed.contains(&low) && !low.contains(&holed));
    }

    #[test]
    fn sums_wrap() {
        let near = Values::between(u32::MAX - 1, u32::MAX).plus(1);
        assert!(has(&near, u32::MAX) && has(&near, 0));
        assert!(!has(&near, 1) && !has(&near, u32::MAX - 1));
        assert!(Values::all().plus(7).is_all());
        assert_eq!(Values::one(3).plus(u32::MAX).single(), Some(2));
    }

    #[test]
    fn a_set_of_many_ranges_grows_and_never_loses() {
        let many = [0, 2, 10, 20, 30, 40].map(Values::one);
        let joined = many.iter().fold(Values::none(), |all, one| all.or(one));
        assert!(joined.ranges.len() <= MAX_RANGES);
        assert!(many.iter().all(|one| joined.contains(one)));
        assert!(has(&joined, 1) && !has(&joined, 35));
    }
}
