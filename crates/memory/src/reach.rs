//! The bounds rule of all spaces: the addresses at which an access may begin.
//!
//! An access is allowed if all of its bytes lie between a start and an end: the bounds of an allocation, of the LDS, of the part
//! of the LDS or of the global data share that M0 leaves, of the scratch of a lane or a wave, of the records of a buffer. One
//! function computes the allowed addresses ([`Reach::new`]), a range that is not empty, and every check compares with it. A range
//! cannot be made in another way, so no end lies below its start, and no difference of the two wraps around.

/// The first and the last address at which an access may begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    first: u64,
    last: u64,
}

/// The first and the last 32-bit offset from a base at which an access may begin. Sums with the base do not wrap around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offsets {
    first: u32,
    last: u32,
}

impl Reach {
    /// Returns the addresses at which accesses of `bytes` bytes may begin, so that all bytes lie from `start` to before `end`.
    /// `None` if there are none.
    #[inline(always)]
    pub const fn new(start: u64, end: u64, bytes: u32) -> Option<Reach> {
        match end.checked_sub(bytes as u64) {
            Some(last) if start <= last => Some(Reach { first: start, last }),
            _ => None,
        }
    }

    /// Returns whether an access may begin at all addresses from `first` to `last`. `false` if `last` is smaller: the addresses
    /// have wrapped around.
    #[inline(always)]
    pub const fn holds(self, first: u64, last: u64) -> bool {
        self.first <= first && first <= last && last <= self.last
    }

    /// Returns the 32-bit offsets from a base at which an access may begin. `None` if there are none.
    #[inline(always)]
    pub fn from(self, base: u64) -> Option<Offsets> {
        let first = u32::try_from(self.first.saturating_sub(base)).ok()?;
        let last = self.last.checked_sub(base)?;
        let last = last.min(u32::MAX.into()) as u32;
        // Not below `first`: the base was subtracted from both.
        Some(Offsets { first, last })
    }
}

impl Offsets {
    /// All offsets of 32 bits.
    pub const ALL: Offsets = Offsets {
        first: 0,
        last: u32::MAX,
    };

    /// Returns the smallest offset in the range.
    #[inline(always)]
    pub fn first(self) -> u32 {
        self.first
    }

    /// Returns the largest offset, which is not below the smallest.
    #[inline(always)]
    pub fn last(self) -> u32 {
        self.last
    }

    /// Returns whether an offset is in the range.
    #[inline(always)]
    pub fn holds(self, offset: u32) -> bool {
        self.first <= offset && offset <= self.last
    }

    /// Returns the intersection with another range. `None` if it is empty.
    #[inline(always)]
    pub fn and(self, other: Offsets) -> Option<Offsets> {
        let (first, last) = (self.first.max(other.first), self.last.min(other.last));
        (first <= last).then_some(Offsets { first, last })
    }
}

/// Returns whether all of `bytes` bytes at an address lie from `start` to before `end`.
#[inline(always)]
pub(crate) const fn holds(start: u64, end: u64, address: u64, bytes: u32) -> bool {
    match Reach::new(start, end, bytes) {
        Some(reach) => reach.holds(address, address),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Interesting addresses: the ends of 32 and 64 bits, those of the host, and all others.
    fn address() -> impl Strategy<Value = u64> {
        let near = |at: u64| (-70i64..70).prop_map(move |n| at.wrapping_add_signed(n));
        prop_oneof![
            near(0),
            near(1 << 31),
            near(1 << 32),
            near(1 << 47),
            near(1 << 63),
            any::<u64>()
        ]
    }

    /// Returns whether all bytes are between the start and the end, computed without wrapping at 64 bits.
    fn allowed(start: u64, end: u64, address: u128, bytes: u32) -> bool {
        u128::from(start) <= address && address + u128::from(bytes) <= u128::from(end)
    }

    proptest! {
        #[test]
        fn an_access_is_allowed_where_all_its_bytes_are(
            start in address(),
            size in prop_oneof![-70i64..70, any::<i64>()],
            first in address(),
            more in prop_oneof![Just(0u64), 0u64..70, any::<u64>()],
            bytes in prop_oneof![1u32..17, 250u32..2000, any::<u32>()],
        ) {
            let end = start.wrapping_add_signed(size);
            for first in [first, start, start.wrapping_sub(1), end.wrapping_sub(bytes.into())] {
                let last = first.wrapping_add(more);
                let got = Reach::new(start, end, bytes).is_some_and(|r| r.holds(first, last));
                let ends = [first, last].map(|a| allowed(start, end, a.into(), bytes));
                prop_assert_eq!(got, first <= last && ends == [true; 2]);
                prop_assert_eq!(holds(start, end, first, bytes), ends[0]);
            }
        }

        #[test]
        fn offsets_are_those_whose_sums_are_allowed(
            ends in prop::array::uniform2((address(), prop_oneof![-70i64..70, any::<i64>()])),
            base in address(),
            apart in -70i64..70,
            near in any::<bool>(),
            bytes in 1u32..17,
            offset in prop_oneof![0u32..70, any::<u32>(), (u32::MAX - 70)..=u32::MAX],
        ) {
            let [[start, end], [other, other_end]] = ends.map(|(start, size)| [start, start.wrapping_add_signed(size)]);
            let base = if near { start.wrapping_add_signed(apart) } else { base };
            let reach = Reach::new(start, end, bytes).and_then(|r| r.from(base));
            let limit = Reach::new(other, other_end, bytes).and_then(|r| r.from(0));
            let both = reach.zip(limit).and_then(|(a, b)| a.and(b));
            for range in [reach, limit, both].into_iter().flatten() {
                prop_assert!(range.first() <= range.last());
            }
            let edges = [reach, limit].into_iter().flatten().flat_map(|r| [r.first(), r.last()]);
            let edges = edges.flat_map(|at| [at.wrapping_sub(1), at, at.wrapping_add(1)]);
            for offset in edges.chain([offset]) {
                let sum = u128::from(base) + u128::from(offset);
                let of_reach = allowed(start, end, sum, bytes);
                let of_limit = allowed(other, other_end, offset.into(), bytes);
                let among = |range: Option<Offsets>| range.is_some_and(|r| r.holds(offset));
                prop_assert_eq!(among(reach), of_reach);
                prop_assert_eq!(among(limit), of_limit);
                prop_assert_eq!(among(both), of_reach && of_limit);
            }
        }
    }
}
