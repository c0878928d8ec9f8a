//! Exact sums of the accumulator and a group of products, rounded once: gfx908.
//!
//! Doubles hold every product exactly. If the exponents of all operands lie close enough, they hold every sum of an instruction as
//! well; this is so for nearly all data. Otherwise a sum is kept as three doubles, added without error, and rounded to odd: a sum
//! that double precision does not hold gets a last bit of one, so that rounding it to single is as rounding the exact sum (Boldo and
//! Melquiond, "Emulation of FMA and correctly rounded sums", 2008).

use super::driver::{Job, Kernel, Part};
use super::planes::{Exponents, Factor, Reads};
use crate::number::{ElementType, NAN_F32};

/// A double.
#[derive(Clone, Copy)]
pub(super) struct Double;

impl Factor for Double {
    type Value = f64;
    type Scale = ();

    #[inline(always)]
    fn of(value: f32, _: f32) -> (f64, ()) {
        (value.into(), ())
    }
}

/// `K` products in groups of `G`, whose sums double precision holds.
pub(super) struct Plain<const G: usize, const K: usize>;

impl<const G: usize, const K: usize> Reads for Plain<G, K> {
    const READS: &'static [ElementType] = &[ElementType::F16, ElementType::Bf16];
}

impl<const G: usize, const K: usize> Kernel for Plain<G, K> {
    type Factor = Double;
    const GROUP: usize = K;

    #[inline(always)]
    fn accepts(job: &Job<'_>) -> bool {
        let shape = job.instruction.shape();
        let a = Exponents::of(shape.a, job.a);
        let b = Exponents::of(shape.b, job.b);
        let c = Exponents::of(ElementType::F32, job.d);
        if a.max > 127 || b.max > 127 || c.max > 127 {
            return false;
        }
        let fraction_bits = if shape.a == ElementType::F16 { 10 } else { 7 };
        // Every partial sum is a multiple of 2^low; a rounding to single keeps that, for it drops low bits only.
        let low = (a.min + b.min - 2 * fraction_bits).min(c.min - 23);
        // And it is less than 2^high: products are less than 2^(a + b + 2).
        let products = a.max + b.max + 2 + (shape.stored_k().ilog2() as i32);
        let high = products.max(c.max + 1) + 1;
        high - low <= 53
    }

    #[inline(always)]
    fn element(
        acc: u32,
        a: impl Fn(usize) -> Part<Double>,
        b: impl Fn(usize) -> Part<Double>,
    ) -> u32 {
        let mut acc = f32::from_bits(acc);
        let mut k = 0;
        while k < K {
            let mut sum = f64::from(acc);
            let mut n = 0;
            while n < G {
                sum = a(k + n).0.mul_add(b(k + n).0, sum);
                n += 1;
            }
            // A sum of zeros is positive.
            acc = (sum + 0.0) as f32;
            k += G;
        }
        acc.to_bits()
    }
}

/// Groups of `G`, 2 or 4, of any numbers.
pub(super) struct Split<const G: usize>;

impl<const G: usize> Reads for Split<G> {
    const READS: &'static [ElementType] = &[ElementType::F16, ElementType::Bf16];
}

impl<const G: usize> Kernel for Split<G> {
    type Factor = Double;
    const GROUP: usize = G;

    #[inline(always)]
    fn element(
        acc: u32,
        a: impl Fn(usize) -> Part<Double>,
        b: impl Fn(usize) -> Part<Double>,
    ) -> u32 {
        const { assert!(G == 2 || G == 4) };
        let product = |k: usize| a(k).0 * b(k).0;
        let c = f64::from(f32::from_bits(acc));
        let (first, second) = (product(0), product(1));
        let mut plain = c + first + second;
        let (high, low) = if G == 2 {
            two_sum(first, second)
        } else {
            let (third, fourth) = (product(2), product(3));
            plain += third + fourth;
            sum_of_halves([first, second, third, fourth])
        };
        let sum = odd_sum(high, low, c);
        // Infinities and NaNs of the operands are in both; no sum of finite ones leaves the range of doubles.
        let sum = if plain.is_finite() { sum } else { plain };
        let acc = (sum + 0.0) as f32;
        if acc.is_nan() { NAN_F32 } else { acc.to_bits() }
    }
}

/// The sum of four products of halves, as a double and its error. They are multiples of 2^-48 and less than 2^32: cut at 2^-8, their
/// upper and lower parts each have exact sums.
#[inline(always)]
fn sum_of_halves(products: [f64; 4]) -> (f64, f64) {
    // Adding this makes 2^-8 the last bit of a double.
    const CUT: f64 = 1.5 * (1u64 << 44) as f64;
    let (mut high, mut low) = (0.0, 0.0);
    for product in products {
        let upper = (product + CUT) - CUT;
        high += upper;
        low += product - upper;
    }
    two_sum(high, low)
}

/// A sum and its error (Knuth).
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    (sum, error)
}

/// The sum of two numbers rounded to odd: if it is not exact, the neighbour whose last bit is one.
#[inline(always)]
fn odd(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    let bits = sum.to_bits();
    let away = (error > 0.0) == (sum > 0.0);
    let neighbour = if away {
        bits.wrapping_add(1)
    } else {
        bits.wrapping_sub(1)
    };
    let is_rounded = error != 0.0 && bits & 1 == 0;
    f64::from_bits(if is_rounded { neighbour } else { bits })
}

/// `high + low + c` rounded to odd, where `low` is the error of `high`.
#[inline(always)]
fn odd_sum(high: f64, low: f64, c: f64) -> f64 {
    let (upper, upper_error) = two_sum(c, low);
    let (total, total_error) = two_sum(high, upper);
    odd(total, odd(total_error, upper_error))
}
