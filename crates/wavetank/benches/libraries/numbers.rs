//! Data that are the same in every run.

use std::f64::consts::TAU;

pub(crate) use crate::words::words;

/// Floats in −1..1.
pub(crate) fn floats(count: usize, seed: u64) -> Vec<f32> {
    let float = |word: u32| (word >> 8) as f32 / (1 << 23) as f32 - 1.0;
    words(count, seed).into_iter().map(float).collect()
}

/// −2, −1, 1 and 2: sums of thousands of products are exact in halves too, in whatever order, and none is −0.
pub(crate) fn small(count: usize, seed: u64) -> Vec<f32> {
    let number = |word: u32| [-2.0, -1.0, 1.0, 2.0][(word >> 30) as usize];
    words(count, seed).into_iter().map(number).collect()
}

/// exp(−2πi k / n) for each k, real and imaginary part.
pub(crate) fn roots_of_unity(n: usize) -> Vec<f32> {
    let angle = |k| -TAU * k as f64 / n as f64;
    (0..n)
        .flat_map(|k| [angle(k).cos() as f32, angle(k).sin() as f32])
        .collect()
}

/// a and b of x³ + ax − b, both above 0.
pub(crate) fn cubics(count: usize, seed: u64) -> Vec<[f64; 2]> {
    let number = |word: u32| (f64::from(word) + 1.0) / f64::from(1 << 28);
    let words = words(2 * count, seed);
    words
        .chunks(2)
        .map(|ab| [number(ab[0]), number(ab[1])])
        .collect()
}
