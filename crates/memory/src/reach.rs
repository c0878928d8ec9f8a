//! The rule of bounds: where accesses may begin, the same for all spaces.
//!
//! An access of some bytes may be made where all of them lie between a start and an end: those of an allocation, of the LDS, of
//! what M0 leaves of it or of the global data share, of the scratch of a lane or a wave, of the records of a buffer. Where that
//! is, one function says ([`Reach::new`]), and all who compare addresses compare them with what it gives: a range that is not
//! empty. There is no way to make another, so that no end lies below its start, and no difference of the two wraps around.

/// The addresses at which accesses may begin: from a first to a last one, of which there is at least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    first: u64,
    last: u64,
}

/// The same as offsets of 32 bits from a base. Sums with the base do not wrap around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offsets {
    first: u32,
    last: u32,
}

impl Reach {
    /// Where accesses of so many bytes may begin, all of which have to lie between a start and the end behind it. `None` if
    /// there is no such place.
    #[inline(always)]
    pub const fn new(start: u64, end: u64, bytes: u32) -> Option<Reach> {
        match end.checked_sub(bytes as u64) {
            Some(last) if start <= last => Some(Reach { first: start, last }),
            _ => None,
        }
    }

    /// Whether an access may begin at all addresses from one to another. It may not if the second is the smaller one: addresses
    /// have wrapped around.
    #[inline(always)]
    pub const fn holds(self, first: u64, last: u64) -> bool {
        self.first <= first && first <= last && last <= self.last
    }

    /// The offsets of 32 bits from a base on at which an access may begin. `None` if there are none.
    #[inline(always)]
    pub fn from(self, base: u64) -> Option<Offsets> {
        let first = u32::try_from(self.first.saturating_sub(base)).ok()?;
        let last = self.last.checked_sub(base)?;
        let last = last.min(u32::MAX.into()) as u32;
        // It is not below the first: neither was before the base was taken from both.
        Some(Offsets { first, last })
    }
}

impl Offsets {
    /// Whatever 32 bits can say.
    pub const ALL: Offsets = Offsets {
        first: 0,
        last: u32::MAX,
    };

    /// The smallest.
    #[inline(always)]
    pub fn first(self) -> u32 {
        self.first
    }

    /// The largest, which is not below the smallest.
    #[inline(always)]
    pub fn last(self) -> u32 {
        self.last
    }

    /// Whether one is among them.
    #[inline(always)]
    pub fn holds(self, offset: u32) -> bool {
        self.first <= offset && offset <= self.last
    }

    /// Those that are among others, too. `None` if there are none.
    #[inline(always)]
    pub fn and(self, other: Offsets) -> Option<Offsets> {
        let (first, last) = (self.first.max(other.first), self.last.min(other.last));
        (first <= last).then_some(Offsets { first, last })
    }
}

/// Whether all of some bytes at an address lie between a start and the end behind it.
#[inline(always)]
pub const fn holds(start: u64, end: u64, address: u64, bytes: u32) -> bool {
    match Reach::new(start, end, bytes) {
        Some(reach) => reach.holds(address, address),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Addresses that matter: the ends of 32 and 64 bits, those of the host, and all others.
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

    /// The rule, without an end of 64 bits: all bytes are between the start and the end.
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
            let [[start, end], [other, behind]] = ends.map(|(start, size)| [start, start.wrapping_add_signed(size)]);
            let base = if near { start.wrapping_add_signed(apart) } else { base };
            let reach = Reach::new(start, end, bytes).and_then(|r| r.from(base));
            let limit = Reach::new(other, behind, bytes).and_then(|r| r.from(0));
            let both = reach.zip(limit).and_then(|(a, b)| a.and(b));
            for range in [reach, limit, both].into_iter().flatten() {
                prop_assert!(range.first() <= range.last());
            }
            let edges = [reach, limit].into_iter().flatten().flat_map(|r| [r.first(), r.last()]);
            let edges = edges.flat_map(|at| [at.wrapping_sub(1), at, at.wrapping_add(1)]);
            for offset in edges.chain([offset]) {
                let sum = u128::from(base) + u128::from(offset);
                let of_reach = allowed(start, end, sum, bytes);
                let of_limit = allowed(other, behind, offset.into(), bytes);
                let among = |range: Option<Offsets>| range.is_some_and(|r| r.holds(offset));
                prop_assert_eq!(among(reach), of_reach);
                prop_assert_eq!(among(limit), of_limit);
                prop_assert_eq!(among(both), of_reach && of_limit);
            }
        }
    }
}
