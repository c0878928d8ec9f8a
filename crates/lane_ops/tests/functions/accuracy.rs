//! How far transcendental functions are off, in units of the last place,
//! against the host's double precision.

use std::f64::consts::TAU;

use wavetank_ir::{Elem, Fp, Un};

use super::samples::Random;
use super::scalar;

fn exact(op: Un, x: f64) -> f64 {
    // Reduced before the multiplication, which would not be exact.
    let turn = x - x.round_ties_even();
    match op {
        Un::FExp2 => x.exp2(),
        Un::FLog2 => x.log2(),
        Un::FSin if turn.abs() == 0.5 => 0.0,
        Un::FSin => (turn * TAU).sin(),
        Un::FCos if turn.abs() == 0.25 => 0.0,
        Un::FCos if turn.abs() > 0.125 => ((0.25 - turn.abs()) * TAU).sin(),
        Un::FCos => (turn * TAU).cos(),
        Un::FSqrt => x.sqrt(),
        Un::FRsq => 1.0 / x.sqrt(),
        _ => 1.0 / x,
    }
}

/// The distance of a result from the exact one, in units of the last place of
/// a format.
fn ulps(r: f64, exact: f64, fraction: i32, least: i32) -> f64 {
    if r == exact || r.is_nan() && exact.is_nan() {
        return 0.0;
    }
    let exponent = (exact.abs().log2().floor() as i32).max(least);
    (r - exact).abs() / 2f64.powi(exponent - fraction)
}

const FUNCTIONS: [Un; 7] = [
    Un::FExp2,
    Un::FLog2,
    Un::FSin,
    Un::FCos,
    Un::FSqrt,
    Un::FRcp,
    Un::FRsq,
];

#[test]
fn single_precision_is_within_the_documented_ulp() {
    let mut random = Random(8);
    let mut operands: Vec<f32> = (0..300_000)
        .map(|_| f32::from_bits(random.next() as u32))
        .collect();
    // Around one, within a turn, and where results come near the limits.
    operands
        .extend((0..300_000).map(|_| f32::from_bits(0x3f00_0000 + random.below(1 << 24) as u32)));
    operands.extend((0..300_000).map(|_| (random.next() as i32 as f32) / 2f32.powi(31)));
    operands.extend((0..300_000).map(|_| (random.next() as i32 as f32) / 2f32.powi(24)));
    for op in FUNCTIONS {
        let mut worst = (0.0, 0.0);
        for &x in &operands {
            let r = scalar::un(op, Elem::F32, Fp::default(), x.to_bits().into()) as u32;
            let exact = exact(op, x.into());
            let off = match f64::from(f32::from_bits(r)) {
                // Overflow, right from half an ULP above the largest number.
                r if r.is_infinite() && exact.abs() > f32::MAX.into() => 0.0,
                r => ulps(r, exact, 23, -126),
            };
            assert!(off <= 1.0, "{op:?} of {x:e}: {off} ULP");
            worst = if off > worst.0 { (off, x) } else { worst };
        }
        eprintln!("{op:?} F32: {:.5} ULP at {:e}", worst.0, worst.1);
        assert!(worst.0 < 0.5001, "{op:?} F32: {} ULP", worst.0);
    }
}

fn half(bits: u64) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (field, part) = (bits >> 10 & 31, (bits & 0x3ff) as f64 / 1024.0);
    match field {
        0 => sign * part * 2f64.powi(-14),
        31 if part != 0.0 => f64::NAN,
        31 => sign * f64::INFINITY,
        _ => sign * (1.0 + part) * 2f64.powi(field as i32 - 15),
    }
}

#[test]
fn every_half_is_within_the_documented_ulp() {
    for op in FUNCTIONS {
        let mut worst = 0.0f64;
        for bits in 0..0x1_0000 {
            let r = half(scalar::un(op, Elem::F16, Fp::default(), bits));
            let exact = exact(op, half(bits));
            // From half an ULP above the largest number on it is infinite.
            if !(r.is_infinite() && exact.abs() >= 65520.0) {
                worst = worst.max(ulps(r, exact, 10, -14));
                assert!(
                    ulps(r, exact, 10, -14) <= 0.51,
                    "{op:?} of {bits:#x}: {r}, not {exact}"
                );
            }
        }
        eprintln!("{op:?} F16: {worst:.5} ULP");
    }
}

#[test]
fn double_precision_roots_and_reciprocals() {
    let mut random = Random(9);
    for _ in 0..100_000 {
        let x = f64::from_bits(random.next());
        let un = |op| f64::from_bits(scalar::un(op, Elem::F64, Fp::default(), x.to_bits()));
        let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
        assert!(same(un(Un::FSqrt), x.sqrt()));
        assert!(same(un(Un::FRcp), 1.0 / x));
        let rsq = 1.0 / x.sqrt();
        assert!(same(un(Un::FRsq), rsq) || ulps(un(Un::FRsq), rsq, 52, -1022) <= 1.0);
    }
}
