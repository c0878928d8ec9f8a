//! The exceptions that a float operation of the IR raises (Vega ISA, 3.10 "Trap and Exception registers": the bits of
//! TRAPSTS.EXCP).

use wavetank_ir::{Fp, Round};

use super::exact::{DOUBLE, Exact, Format, HALF, Number, SINGLE};
use super::lane_fn;

/// An operation on a number outside its domain, or on a signaling NaN.
pub(crate) const INVALID: u32 = 1;
/// A denormal operand that is not flushed.
pub(crate) const DENORMAL: u32 = 1 << 1;
/// An infinite result of finite operands.
pub(crate) const DIVISION: u32 = 1 << 2;
/// A result above the largest number.
pub(crate) const OVERFLOW: u32 = 1 << 3;
/// A result below the smallest normal number that is not exact.
pub(crate) const UNDERFLOW: u32 = 1 << 4;
/// A result that is rounded.
pub(crate) const INEXACT: u32 = 1 << 5;
/// An integer division by zero.
pub(crate) const INTEGER_DIVISION: u32 = 1 << 6;

lane_fn! {
    /// The exceptions of an operation with the first three arguments as operands; the fourth is a [`How::bits`].
    EXCEPTIONS, "exceptions", 32, |[a, b, c, how]: [u64; 4]| How::of(how).raised([a, b, c])
}

/// The kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    /// A multiply-add, rounded once.
    MultiplyAdd,
    /// A multiply-add, rounded twice.
    MultiplyThenAdd,
    Reciprocal,
    /// The reciprocal of an integer, as in V_RCP_IFLAG_F32.
    IntegerReciprocal,
    Root,
    ReciprocalRoot,
    Exponential,
    Logarithm,
    /// The sine or cosine of a number of turns.
    Turn,
    /// A scaling by a power of two; the second operand is an integer.
    Scale,
    /// A choice without rounding: only a signaling NaN raises an exception.
    Choose,
    /// A compare; with `signals` any NaN is invalid.
    Compare,
    /// A conversion to an integer of the other element type; with `signals` it can be inexact.
    ToSigned,
    ToUnsigned,
    /// A conversion to a float of the other element type.
    ToFloat,
    FromSigned,
    FromUnsigned,
    /// A division, with denominator and numerator as operands.
    Divide,
    /// A multiply-add rounded once, after the scaling of V_DIV_FMAS.
    ScaledMultiplyAdd,
}

const OPERATIONS: [Operation; 22] = {
    use Operation::*;
    [
        Add,
        Subtract,
        Multiply,
        MultiplyAdd,
        MultiplyThenAdd,
        Reciprocal,
        IntegerReciprocal,
        Root,
        ReciprocalRoot,
        Exponential,
        Logarithm,
        Turn,
        Scale,
        Choose,
        Compare,
        ToSigned,
        ToUnsigned,
        ToFloat,
        FromSigned,
        FromUnsigned,
        Divide,
        ScaledMultiplyAdd,
    ]
};

/// An operation with the parameters of its exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct How {
    pub operation: Operation,
    /// The width of the operands: 16, 32 or 64 bits.
    pub from: u32,
    /// The width of the result in bits.
    pub to: u32,
    /// The number of arguments that are operands.
    pub operands: u32,
    pub fp: Fp,
    /// A variant of the operation: see [`Operation`].
    pub signals: bool,
}

impl How {
    /// The packed form that is an argument of [`EXCEPTIONS`].
    pub(crate) fn bits(self) -> u32 {
        let width = |bits: u32| bits.trailing_zeros() - 4;
        let round = match self.fp.round {
            Round::Nearest => 0,
            Round::Up => 1,
            Round::Down => 2,
            Round::Zero => 3,
        };
        self.operation as u32
            | width(self.from) << 8
            | width(self.to) << 10
            | self.operands << 12
            | round << 14
            | u32::from(self.fp.flush_in) << 16
            | u32::from(self.fp.flush_out) << 17
            | u32::from(self.signals) << 18
    }

    fn of(bits: u64) -> How {
        let field = |at: u32, mask: u64| bits >> at & mask;
        let width = |n: u64| 16 << n.min(2);
        let operation = OPERATIONS.get(field(0, 0xff) as usize);
        How {
            operation: operation.copied().unwrap_or(Operation::Choose),
            from: width(field(8, 3)),
            to: width(field(10, 3)),
            operands: field(12, 3) as u32,
            fp: Fp {
                round: [Round::Nearest, Round::Up, Round::Down, Round::Zero][field(14, 3) as usize],
                flush_in: field(16, 1) == 1,
                flush_out: field(17, 1) == 1,
                ieee: false,
            },
            signals: field(18, 1) == 1,
        }
    }

    /// The exceptions for some operands.
    fn raised(self, bits: [u64; 3]) -> u32 {
        use Operation::*;
        let (from, to) = (format(self.from), format(self.to));
        if let FromSigned | FromUnsigned = self.operation {
            return self.round(self.integer(bits[0]), to).1;
        }
        let mut raised = 0;
        let numbers = bits.map(|bits| {
            let (number, denormal) = from.read(bits);
            match (denormal, self.fp.flush_in) {
                (true, true) => (Number::Finite(Exact::ZERO), false),
                (denormal, _) => (number, denormal),
            }
        });
        let operands = &numbers[..self.operands as usize];
        if operands.iter().any(|(_, denormal)| *denormal) {
            raised |= DENORMAL;
        }
        let nan = |(number, _): &(Number, bool)| matches!(number, Number::Nan { .. });
        let signaling = |(number, _): &(Number, bool)| *number == Number::Nan { signaling: true };
        let converts = matches!(self.operation, ToSigned | ToUnsigned);
        if operands.iter().any(signaling) {
            raised |= INVALID;
        } else if operands.iter().any(nan) {
            let heard = converts || self.operation == Compare && self.signals;
            raised |= if heard { INVALID } else { 0 };
        } else {
            let [(a, _), (b, _), (c, _)] = numbers;
            raised |= self.of_numbers([a, b, c], bits, to);
        }
        // The reciprocal of an integer raises only the exception of a division by zero.
        match self.operation {
            IntegerReciprocal => raised & INTEGER_DIVISION,
            _ => raised,
        }
    }

    /// The exceptions for operands that are not NaNs.
    fn of_numbers(self, [a, b, c]: [Number; 3], bits: [u64; 3], to: Format) -> u32 {
        use Number::{Finite, Infinite};
        use Operation::*;
        match (self.operation, a, b) {
            (Add, a, b) => self.sum(a, b, to),
            (Subtract, a, b) => self.sum(a, negated(b), to),
            (Multiply, a, b) => match product(a, b) {
                Err(raised) => raised,
                Ok(Finite(p)) => self.round(p, to).1,
                Ok(_) => 0,
            },
            (MultiplyAdd, a, b) => match product(a, b) {
                Err(raised) => raised,
                Ok(p) => self.sum(p, c, to),
            },
            (ScaledMultiplyAdd, a, b) => match (product(a, b), c) {
                (Ok(Finite(p)), Finite(c)) => self.round(rescaled(p.plus(c), c, to), to).1,
                (Err(raised), _) => raised,
                (Ok(p), c) => self.sum(p, c, to),
            },
            (MultiplyThenAdd, a, b) => match product(a, b) {
                Err(raised) => raised,
                Ok(Finite(p)) => {
                    let (p, raised) = self.round(p, to);
                    // A product that overflows is infinite or the largest number, so the sum raises nothing else.
                    match raised & OVERFLOW {
                        0 => raised | self.sum(Finite(p), c, to),
                        _ => raised,
                    }
                }
                Ok(p) => self.sum(p, c, to),
            },
            (IntegerReciprocal, Finite(a), _) if a.is_zero() => INTEGER_DIVISION,
            (Reciprocal | ReciprocalRoot | Logarithm, Finite(a), _) if a.is_zero() => DIVISION,
            (Reciprocal, Finite(a), _) => self.round(a.inverse(), to).1,
            (Root, Finite(a), _) if a.is_zero() => 0,
            (Root | ReciprocalRoot | Logarithm, Finite(a), _) if a.negative => INVALID,
            (Root | ReciprocalRoot | Logarithm, Infinite { negative: true }, _) => INVALID,
            (Root, Finite(a), _) => self.round(a.root(), to).1,
            (ReciprocalRoot, Finite(a), _) => {
                unless(a.is_power_of_two() && a.top() % 2 == 0, INEXACT)
            }
            (Logarithm, Finite(a), _) => unless(a.is_power_of_two(), INEXACT),
            (Exponential, Finite(a), _) => self.power(a, to),
            (Turn, Infinite { .. }, _) => INVALID,
            (Turn, Finite(a), _) => unless(a.is_zero() || quarters(a), INEXACT),
            (Scale, Finite(a), _) => self.scaled(a, bits[1], to),
            (ToSigned | ToUnsigned, Infinite { .. }, _) => INVALID,
            (ToSigned | ToUnsigned, Finite(a), _) => self.to_integer(a),
            (ToFloat, Finite(a), _) => self.round(a, to).1,
            (Divide, Finite(d), Finite(n)) if d.is_zero() => {
                if n.is_zero() {
                    INVALID
                } else {
                    DIVISION
                }
            }
            (Divide, Infinite { .. }, Infinite { .. }) => INVALID,
            _ => 0,
        }
    }

    fn sum(self, a: Number, b: Number, to: Format) -> u32 {
        match (a, b) {
            (Number::Finite(a), Number::Finite(b)) => self.round(a.plus(b), to).1,
            (Number::Infinite { negative: a }, Number::Infinite { negative: b }) if a != b => {
                INVALID
            }
            _ => 0,
        }
    }

    /// The exceptions of 2 to the power of a number.
    fn power(self, a: Exact, to: Format) -> u32 {
        let Some((whole, cut)) = a.truncated().filter(|(whole, _)| *whole < 1 << 20) else {
            return INEXACT | if a.negative { UNDERFLOW } else { OVERFLOW };
        };
        let exponent = if a.negative {
            // The floor: a number with a fraction is above it.
            -(whole as i32) - i32::from(cut)
        } else {
            whole as i32
        };
        let floor = Exact {
            mantissa: 1 << 60,
            exponent: exponent - 60,
            more: cut,
            ..Exact::ZERO
        };
        self.round(floor, to).1
    }

    fn scaled(self, a: Exact, by: u64, to: Format) -> u32 {
        if a.is_zero() {
            return 0;
        }
        let by = match self.from {
            16 => i32::from(by as i16),
            _ => by as i32,
        };
        let exponent = a.exponent.saturating_add(by.clamp(-1 << 20, 1 << 20));
        self.round(Exact { exponent, ..a }, to).1
    }

    fn to_integer(self, a: Exact) -> u32 {
        let Some((whole, cut)) = a.truncated() else {
            return INVALID;
        };
        let most = match (self.operation, a.negative) {
            (Operation::ToSigned, false) => (1 << (self.to - 1)) - 1,
            (Operation::ToSigned, true) => 1 << (self.to - 1),
            (_, false) => u64::MAX >> (64 - self.to),
            (_, true) => 0,
        };
        if whole > most {
            INVALID
        } else {
            unless(!(cut && self.signals), INEXACT)
        }
    }

    /// The integer that bits represent.
    fn integer(self, bits: u64) -> Exact {
        let shift = 64 - self.from;
        let (signed, unsigned) = ((bits << shift) as i64 >> shift, bits << shift >> shift);
        match self.operation {
            Operation::FromSigned => Exact::integer(signed < 0, signed.unsigned_abs()),
            _ => Exact::integer(false, unsigned),
        }
    }

    /// Rounds to a format, and returns the exceptions of that. A number is tiny if it is below the smallest normal number after
    /// rounding.
    fn round(self, x: Exact, to: Format) -> (Exact, u32) {
        if x.is_zero() {
            return (x, 0);
        }
        let last = x.top().max(to.least) - (to.precision - 1);
        let (kept, mut inexact) = match u32::try_from(last - x.exponent) {
            Ok(cut @ 1..) => {
                let kept = x.mantissa.checked_shr(cut).unwrap_or(0);
                let below = match cut {
                    ..128 => x.mantissa & ((1 << cut) - 1),
                    _ => x.mantissa,
                };
                // Exactly half of the last bit, or more.
                let half = 1u128.checked_shl(cut - 1);
                let over = half.is_some_and(|half| below > half || below == half && x.more);
                let tie = half == Some(below) && !x.more;
                let inexact = below != 0 || x.more;
                let up = match self.fp.round {
                    Round::Nearest => over || tie && kept & 1 == 1,
                    Round::Up => inexact && !x.negative,
                    Round::Down => inexact && x.negative,
                    Round::Zero => false,
                };
                let rounded = Exact {
                    mantissa: kept + u128::from(up),
                    exponent: last,
                    more: false,
                    ..x
                };
                (rounded, inexact)
            }
            _ => (x, x.more),
        };
        let tiny = kept.is_zero() || kept.top() < to.least;
        if !tiny && kept.top() > to.greatest {
            return (kept, OVERFLOW | INEXACT);
        }
        let flushed = tiny && self.fp.flush_out;
        inexact |= flushed;
        let raised = match (tiny, inexact) {
            (_, false) => 0,
            (true, true) => UNDERFLOW | INEXACT,
            (false, true) => INEXACT,
        };
        (if flushed { Exact::ZERO } else { kept }, raised)
    }
}

fn format(bits: u32) -> Format {
    match bits {
        16 => HALF,
        32 => SINGLE,
        _ => DOUBLE,
    }
}

fn unless(exact: bool, raised: u32) -> u32 {
    if exact { 0 } else { raised }
}

fn negated(x: Number) -> Number {
    match x {
        Number::Infinite { negative } => Number::Infinite {
            negative: !negative,
        },
        Number::Finite(x) => Number::Finite(Exact {
            negative: !x.negative,
            ..x
        }),
        nan => nan,
    }
}

/// The product of numbers that are not NaNs; invalid for an infinity and a zero.
fn product(a: Number, b: Number) -> Result<Number, u32> {
    use Number::{Finite, Infinite};
    let sign = |x: Number| match x {
        Infinite { negative } | Finite(Exact { negative, .. }) => negative,
        Number::Nan { .. } => false,
    };
    match (a, b) {
        (Finite(a), Finite(b)) => Ok(Finite(a.times(b))),
        (Infinite { .. }, Finite(x)) | (Finite(x), Infinite { .. }) if x.is_zero() => Err(INVALID),
        _ => Ok(Infinite {
            negative: sign(a) != sign(b),
        }),
    }
}

/// The scaled sum of V_DIV_FMAS, by its addend: up from 2 on, else down, by 2^64 or for double precision by 2^128
/// (docs/reference/errata.md, "V_DIV_FMAS").
fn rescaled(sum: Exact, addend: Exact, to: Format) -> Exact {
    let by = if to.precision == DOUBLE.precision {
        128
    } else {
        64
    };
    let up = !addend.is_zero() && addend.top() >= 1;
    let exponent = sum.exponent + if up { by } else { -by };
    if sum.is_zero() {
        sum
    } else {
        Exact { exponent, ..sum }
    }
}

/// Whether the number is a multiple of a quarter, where sine and cosine are exact.
fn quarters(a: Exact) -> bool {
    let times_four = Exact {
        exponent: a.exponent + 2,
        ..a
    };
    // Numbers above 2^64 are integers.
    times_four.truncated().is_none_or(|(_, cut)| !cut)
}

#[cfg(test)]
mod tests;
