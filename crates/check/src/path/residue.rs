//! Numbers of which the low bits are known.

/// The numbers that agree with one in their low bits: it alone if these are all 32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Residue {
    number: u32,
    /// The count of low bits that are known; the others are 0 in `number`.
    bits: u8,
}

impl Residue {
    /// Returns the residue of one number.
    pub(super) fn exact(number: u32) -> Residue {
        Residue { number, bits: 32 }
    }

    fn new(number: u32, bits: u8) -> Residue {
        let mask = u32::MAX.checked_shr(32 - u32::from(bits)).unwrap_or(0);
        let number = number & mask;
        Residue { number, bits }
    }

    /// Returns the number, if it is known.
    pub(super) fn single(self) -> Option<u32> {
        (self.bits == 32).then_some(self.number)
    }

    /// Returns the bits of a mask of low bits, if they are known.
    pub(super) fn low(self, mask: u32) -> Option<u32> {
        (mask.trailing_ones() <= self.bits.into()).then_some(self.number & mask)
    }

    /// Returns the sums of the numbers and another one, modulo 2^32.
    pub(super) fn plus(self, number: u32) -> Residue {
        Residue::new(self.number.wrapping_add(number), self.bits)
    }

    /// Returns the numbers with the other sign, modulo 2^32.
    pub(super) fn negated(self) -> Residue {
        Residue::new(self.number.wrapping_neg(), self.bits)
    }

    /// Returns the low bits that two have in common; `None` if there are none.
    pub(super) fn common(self, other: Residue) -> Option<Residue> {
        let equal = (self.number ^ other.number).trailing_zeros() as u8;
        let bits = equal.min(self.bits).min(other.bits);
        (bits > 0).then(|| Residue::new(self.number, bits))
    }

    /// Whether every number of another residue has these bits.
    pub(super) fn contains(self, other: Residue) -> bool {
        self.common(other) == Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_common_bits() {
        let parity = |a, b| Residue::exact(a).common(Residue::exact(b));
        let odd = parity(1, 3).expect("both are odd");
        assert_eq!(odd.low(1), Some(1));
        assert_eq!(odd.low(3), None);
        assert!(odd.contains(Residue::exact(u32::MAX)) && !odd.contains(Residue::exact(2)));
        assert_eq!(odd.plus(1).low(1), Some(0));
        assert_eq!(parity(1, 2), None);
        assert_eq!(
            Residue::exact(7).negated().single(),
            Some(7u32.wrapping_neg())
        );
        assert_eq!(parity(4, 4), Some(Residue::exact(4)));
    }
}
