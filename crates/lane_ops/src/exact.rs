//! Exact float arithmetic in integers, followed by one rounding in any direction.
//!
//! It is needed rarely (for double precision with a directed rounding), so the code is written to be clearly correct, not fast.

use crate::format::Format;
use crate::lanes::Word;

/// A nonzero finite number: ±significand · 2^exponent. The lowest bit of the
/// significand may stand for a remainder below it.
#[derive(Clone, Copy)]
struct Number {
    negative: bool,
    exponent: i32,
    significand: u128,
}

/// The position of the highest bit in sums: there is room above for a carry, and below for bits shifted out by aligning, before
/// these are jammed into the lowest bit.
const TOP: u32 = 124;

impl Number {
    fn of<F: Format>(a: F::W) -> Number {
        let bits = a.to_u64();
        let fraction = bits & ((1 << F::FRACTION_BITS) - 1);
        let field = ((a & F::EXPONENT).to_u64() >> F::FRACTION_BITS) as i32;
        let hidden = u64::from(field != 0) << F::FRACTION_BITS;
        Number {
            negative: is_negative::<F>(a),
            exponent: field.max(1) - F::BIAS - F::FRACTION_BITS as i32,
            significand: u128::from(fraction | hidden),
        }
    }

    fn times(self, other: Number) -> Number {
        Number {
            negative: self.negative != other.negative,
            exponent: self.exponent + other.exponent,
            significand: self.significand * other.significand,
        }
    }

    /// Returns the same number with its highest bit at `TOP`.
    fn aligned(self) -> Number {
        let shift = TOP as i32 - (127 - self.significand.leading_zeros() as i32);
        Number {
            negative: self.negative,
            exponent: self.exponent - shift,
            significand: self.significand << shift,
        }
    }

    /// Returns the sum; `None` if the sum is zero.
    fn plus(self, other: Number) -> Option<Number> {
        let (a, b) = (self.aligned(), other.aligned());
        let (a, b) = if a.exponent >= b.exponent {
            (a, b)
        } else {
            (b, a)
        };
        let small = jam(b.significand, (a.exponent - b.exponent) as u32);
        let (negative, significand) = if a.negative == b.negative {
            (a.negative, a.significand + small)
        } else if a.significand >= small {
            (a.negative, a.significand - small)
        } else {
            (b.negative, small - a.significand)
        };
        (significand != 0).then_some(Number {
            negative,
            exponent: a.exponent,
            significand,
        })
    }

    fn rounded<F: Format>(self, round: u32) -> F::W {
        let sign = if self.negative { F::SIGN } else { F::ZERO };
        let top = 127 - self.significand.leading_zeros() as i32;
        let infinity = F::EXPONENT.to_u64();
        let bits = if self.exponent + top > F::BIAS {
            infinity
        } else {
            self.rounded_magnitude::<F>(round, top)
        };
        // Infinity has the bits after those of the largest number.
        let overflow = bits >= infinity && !grows(round, self.negative, true, true);
        sign | F::W::from_u64(if overflow { infinity - 1 } else { bits })
    }

    /// Returns the bits of a number whose highest bit is within the format's range.
    fn rounded_magnitude<F: Format>(self, round: u32, top: i32) -> u64 {
        // The exponent of the last place, at least that of denormals.
        let place = (self.exponent + top).max(1 - F::BIAS) - F::FRACTION_BITS as i32;
        let down = place - self.exponent;
        let kept = if down > 0 {
            round_shift(self.significand, down as u32, round, self.negative)
        } else {
            self.significand << -down
        };
        // The hidden bit, or a carry past it, increments the exponent field.
        let field = (place + F::FRACTION_BITS as i32 + F::BIAS - 1) as u64;
        (field << F::FRACTION_BITS) + kept as u64
    }
}

/// Shifts right; bits shifted out set the lowest bit (jamming).
fn jam(a: u128, shift: u32) -> u128 {
    if shift > 127 {
        return u128::from(a != 0);
    }
    let lost = a & ((1 << shift) - 1);
    a >> shift | u128::from(lost != 0)
}

/// Returns whether rounding increases a magnitude. `half`: the remainder is at least half of the last place; `above`: it is more
/// than half, or exactly half with an odd last place.
fn grows(round: u32, negative: bool, half: bool, above: bool) -> bool {
    match round {
        0 => half && above,
        1 => !negative,
        2 => negative,
        _ => false,
    }
}

fn round_shift(a: u128, shift: u32, round: u32, negative: bool) -> u128 {
    if shift > 127 {
        // The remainder is far below half of the last place.
        return u128::from(grows(round, negative, false, false));
    }
    let kept = a >> shift;
    let rest = a & ((1 << shift) - 1);
    if rest == 0 {
        return kept;
    }
    let middle = 1 << (shift - 1);
    let above = rest > middle || kept & 1 == 1;
    kept + u128::from(grows(round, negative, rest >= middle, above))
}

fn is_finite<F: Format>(a: F::W) -> bool {
    a & F::EXPONENT != F::EXPONENT
}

fn is_negative<F: Format>(a: F::W) -> bool {
    a & F::SIGN != F::ZERO
}

fn is_zero<F: Format>(a: F::W) -> bool {
    a & !F::SIGN == F::ZERO
}

/// Returns the zero that the sum of opposite numbers gives.
fn zero_sum<F: Format>(round: u32) -> F::W {
    if round == 2 { F::SIGN } else { F::ZERO }
}

/// Returns the sum a + b, rounded once.
pub(crate) fn add<F: Format>(round: u32, a: F::W, b: F::W) -> F::W {
    if !(is_finite::<F>(a) && is_finite::<F>(b)) {
        return F::add(a, b);
    }
    match (is_zero::<F>(a), is_zero::<F>(b)) {
        (true, true) if a == b => a,
        (true, true) => zero_sum::<F>(round),
        (true, false) => b,
        (false, true) => a,
        (false, false) => round_sum::<F>(round, Number::of::<F>(a), Number::of::<F>(b)),
    }
}

/// Returns the product a · b, rounded once.
pub(crate) fn mul<F: Format>(round: u32, a: F::W, b: F::W) -> F::W {
    if !(is_finite::<F>(a) && is_finite::<F>(b)) || is_zero::<F>(a) || is_zero::<F>(b) {
        return F::mul(a, b);
    }
    Number::of::<F>(a)
        .times(Number::of::<F>(b))
        .rounded::<F>(round)
}

/// a · b + c, rounded once.
pub(crate) fn fma<F: Format>(round: u32, a: F::W, b: F::W, c: F::W) -> F::W {
    let finite = is_finite::<F>(a) && is_finite::<F>(b) && is_finite::<F>(c);
    if !finite {
        return F::fma(a, b, c);
    }
    if is_zero::<F>(a) || is_zero::<F>(b) {
        return add::<F>(round, F::mul(a, b), c);
    }
    let product = Number::of::<F>(a).times(Number::of::<F>(b));
    if is_zero::<F>(c) {
        return product.rounded::<F>(round);
    }
    round_sum::<F>(round, product, Number::of::<F>(c))
}

fn round_sum<F: Format>(round: u32, a: Number, b: Number) -> F::W {
    match a.plus(b) {
        Some(sum) => sum.rounded::<F>(round),
        None => zero_sum::<F>(round),
    }
}

/// Converts a number of another format; it is finite and not zero.
pub(crate) fn convert<From: Format, To: Format>(round: u32, a: From::W) -> To::W {
    Number::of::<From>(a).rounded::<To>(round)
}

/// Converts an integer that is not zero.
pub(crate) fn from_integer<F: Format>(round: u32, negative: bool, magnitude: u64) -> F::W {
    Number {
        negative,
        exponent: 0,
        significand: magnitude.into(),
    }
    .rounded::<F>(round)
}

/// Computes m · 2^e for a finite number that is not zero.
pub(crate) fn scale<F: Format>(round: u32, m: F::W, e: i32) -> F::W {
    let n = Number::of::<F>(m);
    Number {
        exponent: n.exponent + e.clamp(-5000, 5000),
        ..n
    }
    .rounded::<F>(round)
}
