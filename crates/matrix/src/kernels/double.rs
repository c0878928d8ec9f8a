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
        let [negate_a, negate_b, _] = job.instruction.negations();
        let (a, b) = (doubles(job.a, negate_a), doubles(job.b, negate_b));
        let b = |k: usize, j: usize| b[(16 * k + j) % LANES];
        let (pairs, _) = job.d.as_chunks_mut::<2>();
        if job.instruction.shape().m == 4 {
            let Some([low, high]) = pairs.first_mut() else {
                return true;
            };
            for i in 0..4 {
                let a = from_quads(&a, i);
                let a = |k: usize, j: usize| a[(16 * k + j) % LANES];
                row(&mut low[16 * i..][..16], &mut high[16 * i..][..16], a, b);
            }
        } else {
            for i in 0..16 {
                let Some([low, high]) = pairs.get_mut(i / 4) else {
                    return true;
                };
                let a = |k: usize, _: usize| a[(16 * k + i) % LANES];
                let first = i % 4 * 16;
                row(&mut low[first..][..16], &mut high[first..][..16], a, b);
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

#[inline(always)]
fn row(
    low: &mut [u32],
    high: &mut [u32],
    a: impl Fn(usize, usize) -> f64,
    b: impl Fn(usize, usize) -> f64,
) {
    for (j, (low, high)) in low.iter_mut().zip(high).enumerate() {
        let mut sum = f64::from_bits(u64::from(*high) << 32 | u64::from(*low));
        for k in 0..4 {
            sum = a(k, j).mul_add(b(k, j), sum);
        }
        let bits = if sum.is_nan() { NAN_F64 } else { sum.to_bits() };
        (*low, *high) = (bits as u32, (bits >> 32) as u32);
    }
}
