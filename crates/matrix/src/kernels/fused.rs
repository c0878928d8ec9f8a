//! Sums of truncated products: gfx942.
//!
//! Every factor comes with the power of two of its exponent, so that the exponent of a product is a product as well, and the largest
//! of them a maximum. Multiplied by the inverse of that, products become numbers whose integer part is what the rule keeps. What
//! follows for the sum and the accumulator is done in doubles, which hold every step.

use super::driver::{Job, Kernel, Part};
use super::planes::{Exponents, Factor, Reads};
use crate::number::{ElementType, NAN_F32};

/// A single and its power of two. A denormal has that of the smallest normal number, zero has none.
#[derive(Clone, Copy)]
pub(super) struct Aligned;

impl Factor for Aligned {
    type Value = f32;
    type Scale = f32;

    #[inline(always)]
    fn of(value: f32, least: f32) -> (f32, f32) {
        let power = (value.to_bits() & 0x7f80_0000).max(least.to_bits());
        (
            value,
            if value == 0.0 {
                0.0
            } else {
                f32::from_bits(power)
            },
        )
    }
}

/// As [`Aligned`], in double precision.
#[derive(Clone, Copy)]
pub(super) struct WideAligned;

impl Factor for WideAligned {
    type Value = f64;
    type Scale = f64;

    #[inline(always)]
    fn of(value: f32, least: f32) -> (f64, f64) {
        let (value, scale) = Aligned::of(value, least);
        (value.into(), scale.into())
    }
}

/// Whether products and their powers of two are normal singles: all finite halves and bytes, and the other formats within 2^±46.
#[inline(always)]
fn are_narrow(job: &Job<'_>) -> bool {
    let shape = job.instruction.shape();
    let (a, b) = (Exponents::of(shape.a, job.a), Exponents::of(shape.b, job.b));
    a.min.min(b.min) >= -46 && a.max.max(b.max) <= 46
}

/// Groups of `G` products that single precision holds.
pub(super) struct Fused<const G: usize>;

impl<const G: usize> Reads for Fused<G> {
    const READS: &'static [ElementType] = &[ElementType::F16, ElementType::Bf16, ElementType::Xf32];
}

impl<const G: usize> Kernel for Fused<G> {
    type Factor = Aligned;
    const GROUP: usize = G;

    #[inline(always)]
    fn accepts(job: &Job<'_>) -> bool {
        are_narrow(job)
    }

    #[inline(always)]
    fn element(
        acc: u32,
        a: impl Fn(usize) -> Part<Aligned>,
        b: impl Fn(usize) -> Part<Aligned>,
    ) -> u32 {
        const { assert!(G <= 8) };
        // SAFETY: the operands are accepted, and eight products or fewer are summed.
        let (sum, largest) = unsafe { truncated::<G, 1>(&a, &b, 0) };
        let sum = f64::from(sum) * UNIT * f64::from(largest);
        let acc = settle(f32::from_bits(acc), sum, largest.into());
        if acc.is_nan() { NAN_F32 } else { acc.to_bits() }
    }
}

/// Groups of `G` products, with even and odd k apart.
pub(super) struct FusedHalves<const G: usize>;

impl<const G: usize> Reads for FusedHalves<G> {
    const READS: &'static [ElementType] = &[ElementType::Fp8, ElementType::Bf8];
}

impl<const G: usize> Kernel for FusedHalves<G> {
    type Factor = Aligned;
    const GROUP: usize = G;

    #[inline(always)]
    fn accepts(job: &Job<'_>) -> bool {
        are_narrow(job)
    }

    #[inline(always)]
    fn element(
        acc: u32,
        a: impl Fn(usize) -> Part<Aligned>,
        b: impl Fn(usize) -> Part<Aligned>,
    ) -> u32 {
        const { assert!(G <= 16) };
        let acc = f32::from_bits(acc);
        // SAFETY: the operands are accepted, and eight products or fewer are summed.
        let (even, largest_even) = unsafe { truncated::<G, 2>(&a, &b, 0) };
        // SAFETY: as above.
        let (odd, largest_odd) = unsafe { truncated::<G, 2>(&a, &b, 1) };
        let largest = f64::from(max(largest_even, largest_odd));
        let in_units = |sum: i32, of: f32| {
            (f64::from(sum) * f64::from(of) * scaled_inverse(largest, 0)).floor()
        };
        let sum = in_units(even, largest_even) + in_units(odd, largest_odd);
        // An accumulator that is infinite or NaN is dropped if the products are large, and one that is far below them always.
        let is_dropped = if acc.is_finite() {
            power(acc) < largest * power_of_two(-25)
        } else {
            largest > power_of_two(24)
        };
        let kept = if is_dropped { 0.0 } else { acc };
        let acc = settle(kept, sum * UNIT * largest, largest);
        if acc.is_nan() { NAN_F32 } else { acc.to_bits() }
    }
}

/// The sum of every `STEP`th of `G` products from number `first` on, truncated, in units of 2^-24 of the largest power of two; and
/// that power.
///
/// # Safety
/// Factors are finite, products and their powers are normal singles or zero, and at most eight are summed.
#[inline(always)]
unsafe fn truncated<const G: usize, const STEP: usize>(
    a: &impl Fn(usize) -> Part<Aligned>,
    b: &impl Fn(usize) -> Part<Aligned>,
    first: usize,
) -> (i32, f32) {
    let mut largest = 0.0;
    for n in 0..G / STEP {
        let k = first + n * STEP;
        largest = max(largest, a(k).1 * b(k).1);
    }
    // 2^24 over the largest. If all products are zero, this is any number.
    let unit = f32::from_bits(((127u32 + 127 + 24) << 23).wrapping_sub(largest.to_bits()));
    let mut sum = 0i32;
    for n in 0..G / STEP {
        let k = first + n * STEP;
        let product = a(k).0 * b(k).0 * unit;
        // SAFETY: factors are less than twice their powers, so this is less than 2^26.
        sum = sum.wrapping_add(unsafe { product.to_int_unchecked::<i32>() });
    }
    (sum, largest)
}

/// Groups of `G` finite numbers whose products are less than 2^128. Halves are narrow, unless one of them is not finite.
pub(super) struct WideFused<const G: usize>;

impl<const G: usize> Reads for WideFused<G> {
    const READS: &'static [ElementType] = &[ElementType::Bf16, ElementType::Xf32];
}

impl<const G: usize> Kernel for WideFused<G> {
    type Factor = WideAligned;
    const GROUP: usize = G;

    #[inline(always)]
    fn accepts(job: &Job<'_>) -> bool {
        let shape = job.instruction.shape();
        let (a, b) = (Exponents::of(shape.a, job.a), Exponents::of(shape.b, job.b));
        a.max < 128 && b.max < 128 && a.max + b.max + 2 <= 128
    }

    #[inline(always)]
    fn element(
        acc: u32,
        a: impl Fn(usize) -> Part<WideAligned>,
        b: impl Fn(usize) -> Part<WideAligned>,
    ) -> u32 {
        let mut largest = 0.0;
        for k in 0..G {
            let power = a(k).1 * b(k).1;
            largest = if power > largest { power } else { largest };
        }
        let unit = scaled_inverse(largest * UNIT, 0);
        let mut sum = 0.0;
        for k in 0..G {
            sum += (a(k).0 * b(k).0 * unit).trunc();
        }
        let acc = settle(f32::from_bits(acc), sum * UNIT * largest, largest);
        if acc.is_nan() { NAN_F32 } else { acc.to_bits() }
    }
}

/// The place of the last bit that products keep, below the largest exponent.
const UNIT: f64 = power_of_two(-24);

/// Adds the sum of products, whose largest power of two is `largest`, to the accumulator: floors both, adds, floors, rounds. An
/// accumulator that is infinite or NaN stays.
#[inline(always)]
fn settle(acc: f32, sum: f64, largest: f64) -> f32 {
    let of_acc = power(acc);
    let m = if of_acc > largest { of_acc } else { largest };
    // Everything in units of m · 2^-32, as integers of less than 2^40.
    let products = (sum * scaled_inverse(m, 32)).floor();
    let kept = (f64::from(acc) * scaled_inverse(m, 24)).floor() * power_of_two(8);
    let total = products + kept;
    // The sum keeps 31 bits below its first one, and none below those of the smallest normal numbers. It has no bits below 1.
    let first = f64::from_bits(total.to_bits() & 0x7ff0_0000_0000_0000);
    let least = scaled_inverse(m, 32 - 126);
    let first = if first > least { first } else { least };
    let first = if first > power_of_two(31) {
        first
    } else {
        power_of_two(31)
    };
    let floored = (total * scaled_inverse(first, 31)).floor();
    let rounded = (floored * (first * (m * power_of_two(-63)))) as f32;
    if acc.is_finite() { rounded } else { acc }
}

/// The power of two of a single's exponent; zeros and denormals have that of the smallest normal number.
#[inline(always)]
fn power(x: f32) -> f64 {
    let power = (x.to_bits() & 0x7f80_0000).max(f32::MIN_POSITIVE.to_bits());
    f64::from_bits((u64::from(power) << 29) + ((1023 - 127) << 52))
}

/// 2^exponent over a power of two; a large finite number for zero, and something for infinity and NaN.
#[inline(always)]
fn scaled_inverse(power: f64, exponent: i64) -> f64 {
    f64::from_bits((((2046 + exponent) as u64) << 52).wrapping_sub(power.to_bits()))
}

#[inline(always)]
const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The larger of two numbers, neither of them NaN: what a processor's instruction gives.
#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
