//! Double precision: chains of fused multiply-adds, on pairs of registers.

use super::driver::{Job, Product, from_quads};
use crate::number::NAN_F64;
use crate::operands::Registers;
use crate::shape::LANES;

/// A product of doubles, in both shapes. Rows of D have 16 lanes, one row of 16×16 or one row of each of four blocks.
pub(super) struct Doubles<'j, 'a>(pub(super) &'j mut Job<'a>);

impl Product for Doubles<'_, '_> {
    #[inline(always)]
    fn run(self) -> bool {
        let Doubles(job) = self;
        let shape = job.instruction.shape();
        let [negate_a, negate_b, _] = job.instruction.negations();
        let (a, b) = (doubles(job.a, negate_a), doubles(job.b, negate_b));
        let b = |k: usize, j: usize| b[16 * k + j % 16];
        // Not a constant to the compiler, as in `add_groups`.
        let columns = 4 * shape.blocks.max(4) as usize;
        let (pairs, _) = job.d.as_chunks_mut::<2>();
        if shape.m == 4 {
            let Some([low, high]) = pairs.first_mut() else {
                return true;
            };
            for i in 0..4 {
                let a = from_quads(&a, i);
                let a = |k: usize, j: usize| a[16 * k + j % 16];
                row(low, high, 16 * i, columns, a, b);
            }
        } else {
            for i in 0..16 {
                let Some([low, high]) = pairs.get_mut(i / 4) else {
                    return true;
                };
                let a = |k: usize, _: usize| a[(16 * k + i) % LANES];
                row(low, high, i % 4 * 16, columns, a, b);
            }
        }
        true
    }
}

/// The doubles of a pair of registers.
#[inline(always)]
fn doubles(registers: &Registers, negate: bool) -> [f64; LANES] {
    let mut doubles = [0.0; LANES];
    let [low, high] = registers else {
        return doubles;
    };
    let sign = u64::from(negate) << 63;
    for lane in 0..LANES {
        let bits = u64::from(high[lane]) << 32 | u64::from(low[lane]);
        doubles[lane] = f64::from_bits(bits ^ sign);
    }
    doubles
}

/// Adds products to `columns` lanes from `first` on.
#[inline(always)]
fn row(
    low: &mut [u32; LANES],
    high: &mut [u32; LANES],
    first: usize,
    columns: usize,
    a: impl Fn(usize, usize) -> f64,
    b: impl Fn(usize, usize) -> f64,
) {
    let halves = low[first..].first_chunk_mut::<16>();
    let (Some(low), Some(high)) = (halves, high[first..].first_chunk_mut::<16>()) else {
        return;
    };
    let (mut lows, mut highs) = (*low, *high);
    for j in 0..columns.min(16) {
        let mut sum = f64::from_bits(u64::from(highs[j]) << 32 | u64::from(lows[j]));
        for k in 0..4 {
            sum = a(k, j).mul_add(b(k, j), sum);
        }
        let bits = if sum.is_nan() { NAN_F64 } else { sum.to_bits() };
        (lows[j], highs[j]) = (bits as u32, (bits >> 32) as u32);
    }
    (*low, *high) = (lows, highs);
}
