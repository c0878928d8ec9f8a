//! The same work in plain code of the host, on one thread.

use std::error::Error;
use std::time::{Duration, Instant};

use crate::cases::{Case, GROUP, POINTS, Peer};
use crate::turns::Engine;

/// Runs what computes the expected results.
pub(crate) struct Host;

impl Engine for Host {
    /// The result of the last run.
    type Ready = Vec<u32>;

    fn label(&self) -> &str {
        "plain host code"
    }

    fn threads(&self) -> usize {
        1
    }

    fn prepare(&self, case: &Case) -> Result<Option<Vec<u32>>, Box<dyn Error>> {
        Ok(matches!(case.peer, Peer::Host).then(Vec::new))
    }

    fn time(&self, case: &Case, result: &mut Vec<u32>) -> Result<Duration, Box<dyn Error>> {
        let start = Instant::now();
        (case.expected)(result);
        Ok(start.elapsed())
    }

    fn result(&self, result: &Vec<u32>) -> Result<Vec<u32>, Box<dyn Error>> {
        Ok(result.clone())
    }
}

pub(crate) fn sort(keys: &[u32], out: &mut Vec<u32>) {
    out.clear();
    out.extend_from_slice(keys);
    out.sort_unstable();
}

/// The sum up to each number.
pub(crate) fn sums(data: &[u32], out: &mut Vec<u32>) {
    let mut sum = 0u32;
    let upto = |x: &u32| {
        sum = sum.wrapping_add(*x);
        sum
    };
    out.clear();
    out.extend(data.iter().map(upto));
}

type Complex = [f32; 2];

fn product([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

/// Fourier transforms of `POINTS` complex numbers each; `roots` as [`crate::numbers::roots_of_unity`] gives them.
pub(crate) fn transforms(data: &[f32], roots: &[f32], out: &mut Vec<u32>) {
    out.clear();
    out.extend_from_slice(bytemuck::cast_slice(data));
    let numbers: &mut [Complex] = bytemuck::cast_slice_mut(out);
    for numbers in numbers.chunks_mut(POINTS) {
        transform(numbers, bytemuck::cast_slice(roots));
    }
}

/// In place: reverses the bits of indices, then joins pairs of halves.
fn transform(numbers: &mut [Complex], roots: &[Complex]) {
    let bits = POINTS.ilog2();
    for i in 0..POINTS {
        let reversed = i.reverse_bits() >> (usize::BITS - bits);
        if i < reversed {
            numbers.swap(i, reversed);
        }
    }
    for half in (0..bits).map(|bit| 1 << bit) {
        for both in numbers.chunks_mut(2 * half) {
            let (low, high) = both.split_at_mut(half);
            for (k, (x, y)) in low.iter_mut().zip(high).enumerate() {
                let turned = product(*y, roots[k * (POINTS / 2 / half)]);
                let [re, im] = *x;
                *x = [re + turned[0], im + turned[1]];
                *y = [re - turned[0], im - turned[1]];
            }
        }
    }
}

/// So many blocks of Philox 4×32-10 for each item; the first block of all items first.
pub(crate) fn philox(seed: u32, blocks: u32, items: u32, out: &mut Vec<u32>) {
    out.clear();
    out.reserve(4 * blocks as usize * items as usize);
    for block in 0..blocks {
        for item in 0..items {
            out.extend(philox_block([block, 0, item, 0], [seed, !seed]));
        }
    }
}

fn philox_block(mut v: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let even = u64::from(v[0]) * 0xd251_1f53;
        let odd = u64::from(v[2]) * 0xcd9e_8d57;
        v = [
            (odd >> 32) as u32 ^ v[1] ^ key[0],
            odd as u32,
            (even >> 32) as u32 ^ v[3] ^ key[1],
            even as u32,
        ];
        key[0] = key[0].wrapping_add(0x9e37_79b9);
        key[1] = key[1].wrapping_add(0xbb67_ae85);
    }
    v
}

/// The roots, as lanes of one work-group find them in turn.
pub(crate) fn roots(cubics: &[[f64; 2]], out: &mut Vec<u32>) {
    out.clear();
    for (ab, lane) in cubics.iter().zip((0..GROUP).cycle()) {
        let bits = root(*ab, lane).to_bits();
        out.extend([bits as u32, (bits >> 32) as u32]);
    }
}

fn root([a, b]: [f64; 2], lane: u32) -> f64 {
    let tolerance = 1.0 / (256u64 << (lane % 40)) as f64;
    let (mut low, mut high, mut middle) = (0.0, 1.0 + b, 0.0);
    for _ in 0..200 {
        middle = (low + high) * 0.5;
        let value = (middle * middle + a) * middle - b;
        if value == 0.0 || high - low < tolerance {
            break;
        }
        if value < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    middle
}
