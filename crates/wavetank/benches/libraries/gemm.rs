//! Products of square matrices, row by row, in three precisions.

use half::f16;

use crate::agreement::Agreement;
use crate::cases::{Case, Contents, Launch, Param, Peer, Work};
use crate::numbers::small;

/// The type of an element.
pub(crate) trait Element {
    /// Rows and columns of the square that a work-group computes.
    const SIDE: usize;

    fn peer(n: usize) -> Peer;

    /// The words of these numbers in memory.
    fn words(numbers: &[f32]) -> Vec<u32>;
}

impl Element for f32 {
    const SIDE: usize = 128;

    fn peer(n: usize) -> Peer {
        Peer::Sgemm(n)
    }

    fn words(numbers: &[f32]) -> Vec<u32> {
        bytemuck::cast_slice(numbers).to_vec()
    }
}

impl Element for f64 {
    const SIDE: usize = 64;

    fn peer(n: usize) -> Peer {
        Peer::Dgemm(n)
    }

    fn words(numbers: &[f32]) -> Vec<u32> {
        let wide: Vec<f64> = numbers.iter().map(|x| f64::from(*x)).collect();
        bytemuck::cast_slice(&wide).to_vec()
    }
}

impl Element for f16 {
    const SIDE: usize = 128;

    fn peer(_: usize) -> Peer {
        Peer::None
    }

    fn words(numbers: &[f32]) -> Vec<u32> {
        let bits = |x: &f32| u32::from(f16::from_f32(*x).to_bits());
        let pairs = numbers.chunks(2);
        pairs
            .map(|two| bits(&two[0]) | bits(&two[1]) << 16)
            .collect()
    }
}

/// The matrices hold small numbers, so that every order of sums gives the same bits.
pub(crate) fn case<T: Element>(name: &'static str, quick: bool) -> Case {
    use Param::{Buffer, Value};
    let n = if quick { 256 } else { 1024 };
    let (a, b) = (small(n * n, 5), small(n * n, 6));
    let params = vec![Buffer(0), Buffer(1), Buffer(2), Value(n as u32)];
    let zeros = Contents::Zeros(T::words(&a).len());
    Case {
        name,
        buffers: vec![
            Contents::Words(T::words(&a)),
            Contents::Words(T::words(&b)),
            zeros,
        ],
        launches: vec![Launch::new(name, [n / T::SIDE; 2], params)],
        output: 2,
        work: Work::Flops(2.0 * (n as f64).powi(3)),
        expected: Box::new(move |out| *out = T::words(&product(&a, &b, n))),
        agreement: Agreement::Bits,
        peer: T::peer(n),
    }
}

/// A row of the product is a sum of rows of B.
fn product(a: &[f32], b: &[f32], n: usize) -> Vec<f32> {
    let mut c = vec![0.0; n * n];
    for (a, c) in a.chunks(n).zip(c.chunks_mut(n)) {
        for (factor, b) in a.iter().zip(b.chunks(n)) {
            for (sum, b) in c.iter_mut().zip(b) {
                *sum += factor * b;
            }
        }
    }
    c
}
