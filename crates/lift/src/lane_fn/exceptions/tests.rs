//! Exceptions compared with the status of another implementation of IEEE 754, and with the standard's own examples.

use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round as Rounding, Status, StatusAnd};

use super::*;

const ROUNDS: [(Round, Rounding); 4] = [
    (Round::Nearest, Rounding::NearestTiesToEven),
    (Round::Up, Rounding::TowardPositive),
    (Round::Down, Rounding::TowardNegative),
    (Round::Zero, Rounding::TowardZero),
];

fn how(operation: Operation, bits: u32, operands: u32, round: Round) -> How {
    How {
        operation,
        from: bits,
        to: bits,
        operands,
        fp: Fp {
            round,
            ..Fp::default()
        },
        signals: false,
    }
}

/// The exceptions of a status, without those that only this chip reports.
fn expected(status: Status) -> u32 {
    let bits = [
        (Status::INVALID_OP, INVALID),
        (Status::DIV_BY_ZERO, DIVISION),
        (Status::OVERFLOW, OVERFLOW),
        (Status::UNDERFLOW, UNDERFLOW),
        (Status::INEXACT, INEXACT),
    ];
    let set = bits.iter().filter(|(flag, _)| status.contains(*flag));
    set.fold(0, |all, (_, bit)| all | bit)
}

/// The exceptions that the other implementation reports: neither denormal operands, nor an overflow that is rounded to the
/// largest number (IEEE 754, 7.4 does).
fn heard<F: Float>(result: F) -> u32 {
    if result.is_largest() {
        !DENORMAL & !OVERFLOW
    } else {
        !DENORMAL
    }
}

/// Bit patterns for all boundary cases: few bits, all exponents, special values.
fn patterns(bits: u32, seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    let x = *seed ^ *seed >> 29;
    let precision = match bits {
        16 => 10,
        32 => 23,
        _ => 52,
    };
    let mask = match x >> 60 & 7 {
        0 => u64::MAX,
        1 => !0 << precision,
        2 => !0 << (precision - 2) | 1,
        3 => ((1 << precision) - 1) | 1 << (bits - 1),
        // Exponents next to that of 1.
        4 => {
            return (x & ((1 << precision) - 1) | (x >> 56 & 7) << precision)
                .wrapping_add(0x7 << (bits - 5))
                & (u64::MAX >> (64 - bits));
        }
        _ => !0 << (precision / 2),
    };
    x.rotate_left(17) & mask & (u64::MAX >> (64 - bits))
}

fn compare<F: Float>(bits: u32, read: impl Fn(u64) -> F) {
    let mut seed = u64::from(bits);
    for _ in 0..40_000 {
        let [a, b, c] = [0; 3].map(|_| patterns(bits, &mut seed));
        for (round, rounding) in ROUNDS {
            let check = |operation, operands, other: StatusAnd<F>| {
                let got = how(operation, bits, operands, round).raised([a, b, c]);
                let heard = heard(other.value);
                assert_eq!(
                    got & heard,
                    expected(other.status) & heard,
                    "{operation:?} {round:?} of {bits} bits: {a:#x} {b:#x} {c:#x}"
                );
            };
            let [x, y, z] = [a, b, c].map(&read);
            check(Operation::Add, 2, x.add_r(y, rounding));
            check(Operation::Subtract, 2, x.sub_r(y, rounding));
            check(Operation::Multiply, 2, x.mul_r(y, rounding));
            check(Operation::MultiplyAdd, 3, x.mul_add_r(y, z, rounding));
            let one = F::from_u128(1).value;
            check(Operation::Reciprocal, 1, one.div_r(x, rounding));
        }
    }
}

#[test]
fn operations_raise_what_another_implementation_says() {
    compare(16, |bits| Half::from_bits(bits.into()));
    compare(32, |bits| Single::from_bits(bits.into()));
    compare(64, |bits| Double::from_bits(bits.into()));
}

fn converts<F: FloatConvert<T>, T: Float>(from: u32, to: u32, read: impl Fn(u64) -> F) {
    let mut seed = u64::from(from);
    for _ in 0..40_000 {
        let a = patterns(from, &mut seed);
        for (round, rounding) in ROUNDS {
            let mut loses = false;
            let other: StatusAnd<T> = read(a).convert_r(rounding, &mut loses);
            let got = How {
                to,
                ..how(Operation::ToFloat, from, 1, round)
            };
            let (got, heard) = (got.raised([a, 0, 0]), heard(other.value));
            assert_eq!(
                got & heard,
                expected(other.status) & heard,
                "{from} to {to}, {round:?}: {a:#x}"
            );
        }
    }
}

#[test]
fn conversions_raise_what_another_implementation_says() {
    converts::<Single, Half>(32, 16, |bits| Single::from_bits(bits.into()));
    converts::<Double, Single>(64, 32, |bits| Double::from_bits(bits.into()));
    converts::<Half, Double>(16, 64, |bits| Half::from_bits(bits.into()));
    let mut seed = 5;
    for _ in 0..40_000 {
        let a = patterns(64, &mut seed);
        let x = Double::from_bits(a.into());
        let integer = |operation| How {
            to: 32,
            signals: true,
            ..how(operation, 64, 1, Round::Zero)
        };
        let mut exact = false;
        let signed = x.to_i128_r(32, Rounding::TowardZero, &mut exact).status;
        let got = integer(Operation::ToSigned).raised([a, 0, 0]) & !DENORMAL;
        assert_eq!(got, expected(signed), "to i32: {a:#x}");
        let unsigned = x.to_u128_r(32, Rounding::TowardZero, &mut exact).status;
        let got = integer(Operation::ToUnsigned).raised([a, 0, 0]) & !DENORMAL;
        assert_eq!(got, expected(unsigned), "to u32: {a:#x}");
        let from = How {
            from: 32,
            ..how(Operation::FromSigned, 32, 1, Round::Nearest)
        };
        let single = Single::from_i128(i128::from(a as i32)).status;
        assert_eq!(from.raised([a, 0, 0]), expected(single), "from i32: {a:#x}");
    }
}

/// The host's square root is correctly rounded, and a product in double precision is exact.
#[test]
fn roots_are_exact_where_their_squares_are() {
    let mut seed = 9;
    for _ in 0..40_000 {
        let a = patterns(32, &mut seed);
        let x = f32::from_bits(a as u32);
        let got = how(Operation::Root, 32, 1, Round::Nearest).raised([a, 0, 0]) & !DENORMAL;
        let signaling = x.is_nan() && a >> 22 & 1 == 0;
        let root = f64::from(x.sqrt());
        let expected = match () {
            () if signaling || x < 0.0 => INVALID,
            () if x.is_nan() || root * root == f64::from(x) => 0,
            () if root.is_infinite() => 0,
            () => INEXACT,
        };
        assert_eq!(got, expected, "{x}");
    }
}

/// IEEE 754, 7.2 "Invalid operation" and 7.3 "Division by zero"; the rows of V_LOG, V_EXP, V_SIN, V_DIV_FIXUP.
#[test]
fn special_cases() {
    let of = |operation, operands, values: [f32; 3]| {
        let bits = values.map(|x| x.to_bits().into());
        how(operation, 32, operands, Round::Nearest).raised(bits)
    };
    let inf = f32::INFINITY;
    assert_eq!(of(Operation::Logarithm, 1, [0.0; 3]), DIVISION);
    assert_eq!(of(Operation::Logarithm, 1, [-1.0, 0.0, 0.0]), INVALID);
    assert_eq!(of(Operation::Logarithm, 1, [8.0, 0.0, 0.0]), 0);
    assert_eq!(of(Operation::Logarithm, 1, [3.0, 0.0, 0.0]), INEXACT);
    assert_eq!(of(Operation::ReciprocalRoot, 1, [-0.0, 0.0, 0.0]), DIVISION);
    assert_eq!(of(Operation::ReciprocalRoot, 1, [4.0, 0.0, 0.0]), 0);
    assert_eq!(of(Operation::ReciprocalRoot, 1, [2.0, 0.0, 0.0]), INEXACT);
    assert_eq!(of(Operation::Exponential, 1, [3.0, 0.0, 0.0]), 0);
    assert_eq!(of(Operation::Exponential, 1, [0.5, 0.0, 0.0]), INEXACT);
    assert_eq!(
        of(Operation::Exponential, 1, [128.0, 0.0, 0.0]),
        OVERFLOW | INEXACT
    );
    assert_eq!(
        of(Operation::Exponential, 1, [1e30, 0.0, 0.0]),
        OVERFLOW | INEXACT
    );
    assert_eq!(
        of(Operation::Exponential, 1, [-1e30, 0.0, 0.0]),
        UNDERFLOW | INEXACT
    );
    assert_eq!(of(Operation::Exponential, 1, [-126.0, 0.0, 0.0]), 0);
    assert_eq!(
        of(Operation::Exponential, 1, [-126.5, 0.0, 0.0]),
        UNDERFLOW | INEXACT
    );
    assert_eq!(of(Operation::Turn, 1, [inf, 0.0, 0.0]), INVALID);
    assert_eq!(of(Operation::Turn, 1, [0.75, 0.0, 0.0]), 0);
    assert_eq!(of(Operation::Turn, 1, [0.1, 0.0, 0.0]), INEXACT);
    assert_eq!(of(Operation::Divide, 2, [0.0, 1.0, 0.0]), DIVISION);
    assert_eq!(of(Operation::Divide, 2, [0.0, 0.0, 0.0]), INVALID);
    assert_eq!(of(Operation::Divide, 2, [inf, inf, 0.0]), INVALID);
    assert_eq!(of(Operation::Divide, 2, [0.0, inf, 0.0]), 0);
    assert_eq!(of(Operation::Divide, 2, [1e-40, 1.0, 0.0]), DENORMAL);
    assert_eq!(
        of(Operation::IntegerReciprocal, 1, [0.0; 3]),
        INTEGER_DIVISION
    );
    assert_eq!(of(Operation::Compare, 2, [f32::NAN, 0.0, 0.0]), 0);
    assert_eq!(of(Operation::MultiplyThenAdd, 3, [0.0, inf, 1.0]), INVALID);
    assert_eq!(
        of(Operation::MultiplyThenAdd, 3, [3.0, 1.0 / 3.0, 1.0]),
        INEXACT
    );
    // 7.4: "regardless of the rounding direction".
    for (round, _) in ROUNDS {
        let square = how(Operation::Multiply, 32, 2, round);
        let bits = [(-1e30f32).to_bits().into(), 1e30f32.to_bits().into(), 0];
        assert_eq!(square.raised(bits), OVERFLOW | INEXACT);
    }
    // 2^-126 / 2 is an exact denormal; if it is flushed, it is not exact.
    let least = f32::MIN_POSITIVE;
    assert_eq!(of(Operation::Multiply, 2, [least, 0.5, 0.0]), 0);
    let mut flushing = how(Operation::Multiply, 32, 2, Round::Nearest);
    flushing.fp.flush_out = true;
    let bits = [least.to_bits().into(), 0.5f32.to_bits().into(), 0];
    assert_eq!(flushing.raised(bits), UNDERFLOW | INEXACT);
    // A denormal operand is reported, unless it is flushed to zero.
    let denormal = [1, 1f32.to_bits().into(), 0];
    let mut sum = how(Operation::Add, 32, 2, Round::Nearest);
    assert_eq!(sum.raised(denormal), DENORMAL | INEXACT);
    sum.fp.flush_in = true;
    assert_eq!(sum.raised(denormal), 0);
}

/// 2^64 or 2^-64 times S0 * S1 + S2, rounded once: the smallest and the largest numbers are 2^-149 and almost 2^128.
#[test]
fn scaled_sums_are_rounded_once() {
    let two = |exponent: i32| 2f32.powi(exponent);
    let of = |values: [f32; 3]| {
        let bits = values.map(|x| x.to_bits().into());
        how(Operation::ScaledMultiplyAdd, 32, 3, Round::Nearest).raised(bits)
    };
    // Up: 2^63 + 2^63 becomes 2^128, 2^62 + 2^62 does not.
    assert_eq!(of([1.0, two(63), two(63)]), OVERFLOW | INEXACT);
    assert_eq!(of([1.0, two(62), two(62)]), 0);
    // Down: 2^-62 becomes 2^-126, which is normal, 2^-63 a denormal, and so is 3 * 2^-85 in part.
    assert_eq!(of([0.0, 0.0, two(-62)]), 0);
    assert_eq!(of([0.0, 0.0, two(-63)]), 0);
    assert_eq!(of([3.0, two(-86), 0.0]), UNDERFLOW | INEXACT);
    // The 2^-150 above 1 are lost, whatever the scaling.
    assert_eq!(of([two(-75), two(-75), 1.0]), INEXACT);
    assert_eq!(of([f32::INFINITY, 0.0, 1.0]), INVALID);
    assert_eq!(of([f32::INFINITY, 1.0, f32::NEG_INFINITY]), INVALID);
}

/// The packed argument is decoded as it was encoded.
#[test]
fn an_argument_says_all() {
    for (n, operation) in OPERATIONS.into_iter().enumerate() {
        let (round, _) = ROUNDS[n % 4];
        let mut how = how(operation, 16 << (n % 3), n as u32 % 4, round);
        how.to = 64 >> (n % 3);
        how.signals = n % 2 == 1;
        how.fp.flush_in = n % 4 == 1;
        how.fp.flush_out = n % 5 == 1;
        assert_eq!(How::of(how.bits().into()), how);
    }
}
