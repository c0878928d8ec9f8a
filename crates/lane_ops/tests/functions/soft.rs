//! Rounding, flushing and NaNs against a soft-float library, for every format
//! and environment.

use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round as SoftRound};
use wavetank_ir::{Bin, Cvt, Elem, Fp, Round, Tern};

use super::samples::{Random, environments, layout, ones, specials, width};
use super::scalar;

fn soft_round(round: Round) -> SoftRound {
    match round {
        Round::Nearest => SoftRound::NearestTiesToEven,
        Round::Up => SoftRound::TowardPositive,
        Round::Down => SoftRound::TowardNegative,
        Round::Zero => SoftRound::TowardZero,
    }
}

fn flush<F: Float>(on: bool, a: F) -> F {
    match on && a.is_denormal() {
        true if a.is_negative() => -F::ZERO,
        true => F::ZERO,
        false => a,
    }
}

/// What comes out: the first NaN operand quieted, the NaN of an invalid
/// operation, or the flushed number.
fn settle<F: Float>(elem: Elem, fp: Fp, operands: &[u64], r: F) -> u64 {
    let (fraction, bias) = layout(elem);
    let infinity = (2 * bias + 1) << fraction;
    let quiet = 1 << (fraction - 1);
    let sign = 1 << (width(elem) - 1);
    if let Some(nan) = operands.iter().find(|&&a| a & !sign > infinity) {
        return nan | quiet;
    }
    if r.is_nan() {
        return sign | infinity | quiet;
    }
    flush(fp.flush_out, r).to_bits() as u64
}

/// Pairs of special values, and random pairs.
fn pairs(elem: Elem, mut each: impl FnMut(u64, u64)) {
    let special = specials(elem);
    for &a in &special {
        for &b in &special {
            each(a, b);
        }
    }
    let mut random = Random(1);
    for _ in 0..4000 {
        each(random.value(elem), random.value(elem));
    }
}

fn check(what: &str, fp: Fp, operands: &[u64], ours: u64, expected: u64) {
    assert_eq!(
        ours, expected,
        "{what} of {operands:x?} in {fp:?}: {ours:x}, expected {expected:x}"
    );
}

fn two_operands<F: Float>(elem: Elem) {
    for fp in environments() {
        let round = soft_round(fp.round);
        pairs(elem, |a, b| {
            let read = |a: u64| flush(fp.flush_in, F::from_bits(a.into()));
            let (x, y) = (read(a), read(b));
            for (op, r) in [
                (Bin::FAdd, x.add_r(y, round).value),
                (Bin::FSub, x.sub_r(y, round).value),
                (Bin::FMul, x.mul_r(y, round).value),
            ] {
                let ours = scalar::bin(op, elem, fp, a, b);
                check(
                    &format!("{op:?} {elem:?}"),
                    fp,
                    &[a, b],
                    ours,
                    settle(elem, fp, &[a, b], r),
                );
            }
        });
    }
}

#[test]
fn sums_and_products_round_as_soft_floats() {
    two_operands::<Half>(Elem::F16);
    two_operands::<Single>(Elem::F32);
    two_operands::<Double>(Elem::F64);
}

fn three_operands<F: Float>(elem: Elem) {
    let special = specials(elem);
    let mut random = Random(2);
    let mut triples = Vec::new();
    for _ in 0..6000 {
        let mut pick = || special[random.below(special.len() as u64) as usize];
        triples.push([pick(), pick(), pick()]);
        triples.push(std::array::from_fn(|_| random.value(elem)));
    }
    // Addends near the product, of either sign: deep cancellation.
    for i in 0..triples.len() {
        let [a, b, _] = triples[i];
        let product = scalar::bin(Bin::FMul, elem, Fp::default(), a, b);
        let sign = 1 << (width(elem) - 1);
        triples.push([a, b, product ^ sign]);
        triples.push([a, b, (product ^ sign).wrapping_add(1) & ones(width(elem))]);
    }
    for fp in environments() {
        let round = soft_round(fp.round);
        for &[a, b, c] in &triples {
            let [x, y, z] = [a, b, c].map(|a| flush(fp.flush_in, F::from_bits(a.into())));
            let product = flush(fp.flush_out, x.mul_r(y, round).value);
            for (op, r) in [
                (Tern::Fma, x.mul_add_r(y, z, round).value),
                (Tern::FMad, product.add_r(z, round).value),
            ] {
                let ours = scalar::tern(op, elem, fp, [a, b, c]);
                let expected = settle(elem, fp, &[a, b, c], r);
                check(&format!("{op:?} {elem:?}"), fp, &[a, b, c], ours, expected);
            }
        }
    }
}

#[test]
fn fused_and_separate_multiply_adds_round_as_soft_floats() {
    three_operands::<Half>(Elem::F16);
    three_operands::<Single>(Elem::F32);
    three_operands::<Double>(Elem::F64);
}

fn powers<F: Float>(elem: Elem) {
    let mut random = Random(3);
    let limit = layout(elem).1 as i32 * 3;
    let mut operands = specials(elem);
    operands.extend((0..500).map(|_| random.value(elem)));
    let mut exponents = vec![0, 1, -1, limit, -limit, i16::MAX.into(), i16::MIN.into()];
    exponents.extend((0..40).map(|_| random.below(2 * limit as u64) as i32 - limit));
    for fp in environments() {
        for &a in &operands {
            for &exponent in &exponents {
                let x: F = flush(fp.flush_in, F::from_bits(a.into()));
                let r = x.scalbn_r(exponent, soft_round(fp.round));
                let ours = scalar::bin(Bin::FLdexp, elem, fp, a, u64::from(exponent as u32));
                let expected = settle(elem, fp, &[a], r);
                check(
                    &format!("FLdexp by {exponent} {elem:?}"),
                    fp,
                    &[a],
                    ours,
                    expected,
                );
            }
        }
    }
}

#[test]
fn scaling_rounds_once() {
    powers::<Half>(Elem::F16);
    powers::<Single>(Elem::F32);
    powers::<Double>(Elem::F64);
}

fn between<From: Float + FloatConvert<To>, To: Float>(from: Elem, to: Elem) {
    let mut random = Random(4);
    let mut operands = specials(from);
    operands.extend((0..20_000).map(|_| random.value(from)));
    // Numbers around the narrower format's limits.
    for special in specials(to) {
        let (mut loses, near) = (false, To::from_bits(special.into()));
        let near: Double = match to {
            Elem::F16 => Half::from_bits(special.into()).convert(&mut loses).value,
            Elem::F32 => Single::from_bits(special.into()).convert(&mut loses).value,
            _ => Double::from_bits(near.to_bits()),
        };
        let near: u64 = match from {
            Elem::F16 => FloatConvert::<Half>::convert(near, &mut loses)
                .value
                .to_bits() as u64,
            Elem::F32 => FloatConvert::<Single>::convert(near, &mut loses)
                .value
                .to_bits() as u64,
            _ => near.to_bits() as u64,
        };
        for step in [-1i64, 0, 1] {
            operands.push(near.wrapping_add_signed(step) & ones(width(from)));
        }
        // Halfway to the next of the narrower format, and about.
        if layout(from).0 > layout(to).0 {
            let half = 1 << (layout(from).0 - layout(to).0 - 1);
            for step in [-1i64, 0, 1] {
                operands.push((near + half).wrapping_add_signed(step) & ones(width(from)));
            }
        }
    }
    for fp in environments() {
        for &a in &operands {
            let x: From = flush(fp.flush_in, From::from_bits(a.into()));
            let r: To = x.convert_r(soft_round(fp.round), &mut false).value;
            let expected = if x.is_nan() {
                // Quiet, with the sign and the upper bits of the payload.
                let (f, t) = (layout(from).0, layout(to).0);
                let payload = a & ones(f);
                let payload = if t > f {
                    payload << (t - f)
                } else {
                    payload >> (f - t)
                };
                let sign = a >> (width(from) - 1) << (width(to) - 1);
                sign | (2 * layout(to).1 + 1) << t | 1 << (t - 1) | payload
            } else {
                settle(to, fp, &[], r)
            };
            let ours = scalar::cvt(Cvt::FToF, from, to, fp, a);
            check(&format!("{from:?} to {to:?}"), fp, &[a], ours, expected);
        }
    }
}

#[test]
fn formats_convert_as_soft_floats() {
    between::<Half, Single>(Elem::F16, Elem::F32);
    between::<Half, Double>(Elem::F16, Elem::F64);
    between::<Single, Half>(Elem::F32, Elem::F16);
    between::<Single, Double>(Elem::F32, Elem::F64);
    between::<Double, Half>(Elem::F64, Elem::F16);
    between::<Double, Single>(Elem::F64, Elem::F32);
}

fn integers<F: Float>(from: Elem, to: Elem) {
    let mut random = Random(5);
    let bits = width(from);
    let mut operands = specials(from);
    operands.extend((0..3000).map(|_| random.value(from)));
    for fp in environments() {
        let round = soft_round(fp.round);
        for &a in &operands {
            let signed = (a << (64 - bits)) as i64 >> (64 - bits);
            for (op, r) in [
                (Cvt::SToF, F::from_i128_r(signed.into(), round).value),
                (Cvt::UToF, F::from_u128_r(a.into(), round).value),
            ] {
                let ours = scalar::cvt(op, from, to, fp, a);
                check(
                    &format!("{op:?} {from:?} to {to:?}"),
                    fp,
                    &[a],
                    ours,
                    r.to_bits() as u64,
                );
            }
        }
    }
}

#[test]
fn integers_convert_as_soft_floats() {
    integers::<Half>(Elem::I16, Elem::F16);
    integers::<Half>(Elem::I32, Elem::F16);
    integers::<Single>(Elem::I16, Elem::F32);
    integers::<Single>(Elem::I32, Elem::F32);
    integers::<Single>(Elem::I64, Elem::F32);
    integers::<Double>(Elem::I32, Elem::F64);
    integers::<Double>(Elem::I64, Elem::F64);
}

fn to_integers<F: Float>(from: Elem, to: Elem) {
    let mut random = Random(6);
    let bits = width(to);
    let mut operands = specials(from);
    operands.extend((0..5000).map(|_| random.value(from)));
    // Limits of the integer, and their neighbours.
    for limit in [bits - 1, bits] {
        let limit = F::from_u128(1 << limit).value.to_bits() as u64;
        for step in [-1i64, 0, 1] {
            let a = limit.wrapping_add_signed(step);
            operands.extend([a, a | 1 << (width(from) - 1)]);
        }
    }
    for &a in &operands {
        let x = F::from_bits(a.into());
        let exact = &mut false;
        let (signed, unsigned) = if x.is_nan() {
            (0, 0)
        } else {
            let signed = x
                .to_i128_r(bits as usize, SoftRound::TowardZero, exact)
                .value;
            (
                signed,
                x.to_u128_r(bits as usize, SoftRound::TowardZero, exact)
                    .value,
            )
        };
        let fp = Fp::default();
        for (op, r) in [
            (Cvt::FToS, signed as u64 & ones(bits)),
            (Cvt::FToU, unsigned as u64),
        ] {
            let ours = scalar::cvt(op, from, to, fp, a);
            check(&format!("{op:?} {from:?} to {to:?}"), fp, &[a], ours, r);
        }
    }
}

#[test]
fn floats_convert_to_saturated_integers() {
    to_integers::<Half>(Elem::F16, Elem::I16);
    to_integers::<Half>(Elem::F16, Elem::I32);
    to_integers::<Single>(Elem::F32, Elem::I16);
    to_integers::<Single>(Elem::F32, Elem::I32);
    to_integers::<Single>(Elem::F32, Elem::I64);
    to_integers::<Double>(Elem::F64, Elem::I32);
    to_integers::<Double>(Elem::F64, Elem::I64);
}
