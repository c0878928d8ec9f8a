//! Exact numbers of unlimited size and their rounding to a format, as far as needed to determine the exceptions of an operation.

/// A binary format of IEEE 754.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Format {
    /// The total number of bits.
    pub bits: u32,
    /// Bits of a normal mantissa, the leading one included.
    pub precision: i32,
    /// The exponent of the smallest normal number.
    pub least: i32,
    /// The exponent of the largest number.
    pub greatest: i32,
}

pub(super) const HALF: Format = Format {
    bits: 16,
    precision: 11,
    least: -14,
    greatest: 15,
};
pub(super) const SINGLE: Format = Format {
    bits: 32,
    precision: 24,
    least: -126,
    greatest: 127,
};
pub(super) const DOUBLE: Format = Format {
    bits: 64,
    precision: 53,
    least: -1022,
    greatest: 1023,
};

/// The number that bits represent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Nan { signaling: bool },
    Infinite { negative: bool },
    Finite(Exact),
}

/// `mantissa · 2^exponent`, or with `more` a number between that and the next mantissa.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Exact {
    pub negative: bool,
    pub mantissa: u128,
    pub exponent: i32,
    pub more: bool,
}

impl Format {
    /// The number that bits represent, and whether it is denormal.
    pub(super) fn read(self, bits: u64) -> (Number, bool) {
        let fraction_bits = self.precision as u32 - 1;
        let fraction = bits & ((1 << fraction_bits) - 1);
        let exponents = 1u64 << (self.bits - self.precision as u32);
        let exponent = bits >> fraction_bits & (exponents - 1);
        let negative = bits >> (self.bits - 1) & 1 == 1;
        if exponent == exponents - 1 {
            let signaling = fraction >> (fraction_bits - 1) & 1 == 0;
            return match fraction {
                0 => (Number::Infinite { negative }, false),
                _ => (Number::Nan { signaling }, false),
            };
        }
        let lead = u64::from(exponent != 0) << fraction_bits;
        let finite = Exact {
            negative,
            mantissa: (fraction | lead).into(),
            exponent: (exponent.max(1) as i32 - 1) + self.least - fraction_bits as i32,
            more: false,
        };
        (Number::Finite(finite), exponent == 0 && fraction != 0)
    }
}

impl Exact {
    pub(super) const ZERO: Exact = Exact {
        negative: false,
        mantissa: 0,
        exponent: 0,
        more: false,
    };

    /// An integer by its sign and magnitude.
    pub(super) fn integer(negative: bool, magnitude: u64) -> Exact {
        Exact {
            negative,
            mantissa: magnitude.into(),
            ..Exact::ZERO
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.mantissa == 0 && !self.more
    }

    /// The number of bits of the mantissa.
    fn length(self) -> i32 {
        (128 - self.mantissa.leading_zeros()) as i32
    }

    /// The exponent of the leading bit.
    pub(super) fn top(self) -> i32 {
        self.exponent + self.length() - 1
    }

    /// The product of two numbers of at most 53 bits.
    pub(super) fn times(self, other: Exact) -> Exact {
        Exact {
            negative: self.negative != other.negative,
            mantissa: self.mantissa * other.mantissa,
            exponent: self.exponent + other.exponent,
            more: false,
        }
    }

    /// The sum of two exact numbers of at most 106 bits.
    pub(super) fn plus(self, other: Exact) -> Exact {
        /// The number of bits that the larger mantissa is extended to.
        const WIDTH: i32 = 124;
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        let (mut large, mut small) = if self.top() >= other.top() {
            (self, other)
        } else {
            (other, self)
        };
        let shift = WIDTH - large.length();
        large.mantissa <<= shift;
        large.exponent -= shift;
        let distance = small.exponent - large.exponent;
        match u32::try_from(distance) {
            Ok(left) => small.mantissa <<= left,
            Err(_) => {
                let right = distance.unsigned_abs();
                let cut = small.mantissa.checked_shr(right).unwrap_or(0);
                small.more = cut.checked_shl(right).unwrap_or(0) != small.mantissa;
                small.mantissa = cut;
            }
        }
        large.more = small.more;
        if large.negative == small.negative {
            large.mantissa += small.mantissa;
            return large;
        }
        let less = small.mantissa + u128::from(small.more);
        if less > large.mantissa {
            large.negative = small.negative;
            large.mantissa = less - large.mantissa;
        } else {
            large.mantissa -= less;
        }
        large
    }

    /// 1 / self, for a number that is not zero.
    pub(super) fn inverse(self) -> Exact {
        const ONE: u128 = 1 << 120;
        Exact {
            negative: self.negative,
            mantissa: ONE / self.mantissa,
            exponent: -120 - self.exponent,
            more: !ONE.is_multiple_of(self.mantissa),
        }
    }

    /// The square root of a number of at most 53 bits that is not negative.
    pub(super) fn root(self) -> Exact {
        // 53 + 66 bits give a root of 59 bits; the exponent must be even.
        let shift = 66 - (self.exponent & 1);
        let mantissa = self.mantissa << shift;
        let root = mantissa.isqrt();
        Exact {
            negative: false,
            mantissa: root,
            exponent: (self.exponent - shift) / 2,
            more: root * root != mantissa,
        }
    }

    /// The integer part, and whether a fraction was truncated; `None` above 2^64.
    pub(super) fn truncated(self) -> Option<(u64, bool)> {
        if self.top() >= 64 {
            return None;
        }
        let whole = match u32::try_from(self.exponent) {
            Ok(left) => self.mantissa.checked_shl(left).unwrap_or(0),
            Err(_) => {
                let right = self.exponent.unsigned_abs();
                self.mantissa.checked_shr(right).unwrap_or(0)
            }
        };
        let back = Exact::integer(self.negative, whole as u64);
        let minus = Exact {
            negative: !back.negative,
            ..back
        };
        Some((whole as u64, !self.plus(minus).is_zero()))
    }

    /// Whether the number is a power of two.
    pub(super) fn is_power_of_two(self) -> bool {
        self.mantissa.is_power_of_two()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(x: f64) -> Exact {
        match DOUBLE.read(x.to_bits()).0 {
            Number::Finite(x) => x,
            other => panic!("{other:?}"),
        }
    }

    fn value(x: Exact) -> f64 {
        let magnitude = x.mantissa as f64 * f64::from(x.exponent).exp2();
        if x.negative { -magnitude } else { magnitude }
    }

    #[test]
    fn small_numbers_are_exact() {
        for (a, b) in [(3.5, -1.25), (-3.5, 3.5), (1e-3, 1e10), (-7.0, 0.0)] {
            assert_eq!(value(of(a).plus(of(b))), a + b);
            assert_eq!(value(of(a).times(of(b))), a * b);
        }
        assert_eq!(value(of(8.0).inverse()), 0.125);
        assert!(!of(8.0).inverse().more && of(3.0).inverse().more);
        assert_eq!(value(of(2.25).root()), 1.5);
        assert!(!of(2.25).root().more && of(2.0).root().more);
        assert_eq!(of(-7.75).truncated(), Some((7, true)));
        assert_eq!(of(7.0).truncated(), Some((7, false)));
        assert_eq!(of(1e30).truncated(), None);
    }

    /// A sum of numbers of very different size is just above or just below the larger one.
    #[test]
    fn what_is_far_below_is_not_lost() {
        let above = of(1.0).plus(of(1e-300));
        assert!(above.more && value(above) == 1.0);
        let below = of(1.0).plus(of(-1e-300));
        assert!(below.more && below.top() == -1);
    }
}
