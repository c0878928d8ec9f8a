//! The loops over the elements of D, for every kernel and shape.
//!
//! A kernel is a function of one element without branches. The loop around it goes over consecutive lanes of one register of D, which
//! are a row of a block, or one row of each block: there the compiler vectorises. The shape is a parameter of the type, so that the
//! loops over k are unrolled.

use std::array::from_fn;
use std::marker::PhantomData;

use super::planes::{Factor, Plane, Planes, Reads};
use crate::instruction::Matrix;
use crate::layout::sparse_row;
use crate::operands::Registers;
use crate::shape::LANES;

/// An element of an operand, as kernels see it.
pub(super) type Part<F> = (<F as Factor>::Value, <F as Factor>::Scale);

/// The sum of products for an element of D.
pub(super) trait Kernel: Reads {
    /// The form of the factors.
    type Factor: Factor;
    /// Products that `element` adds.
    const GROUP: usize;

    /// Returns whether the kernel gives the right sums for these operands. If it does not, another one must be taken.
    fn accepts(_job: &Job<'_>) -> bool {
        true
    }

    /// Returns the bits of `acc` plus a group of products.
    fn element(
        acc: u32,
        a: impl Fn(usize) -> Part<Self::Factor>,
        b: impl Fn(usize) -> Part<Self::Factor>,
    ) -> u32;
}

/// The operands of an instruction, with A and B where the instruction reads them.
pub(super) struct Job<'a> {
    pub(super) instruction: &'a Matrix,
    pub(super) a: &'a Registers,
    pub(super) b: &'a Registers,
    pub(super) index: Option<&'a [u32; LANES]>,
    pub(super) d: &'a mut Registers,
}

/// Something to run at a level of processor features.
pub(super) trait Product {
    /// Adds the product to D; `false`, and D as it was, if the kernel does not accept the operands. Implementations are
    /// `#[inline(always)]`.
    fn run(self) -> bool;
}

/// A product of 32-bit elements by a kernel. `M` is also N, `K` counts the stored elements of a row of A, `E` those of a lane.
pub(super) struct Dense<'j, 'a, R, const M: usize, const K: usize, const E: usize> {
    job: &'j mut Job<'a>,
    kernel: PhantomData<R>,
}

impl<'j, 'a, R, const M: usize, const K: usize, const E: usize> Dense<'j, 'a, R, M, K, E> {
    pub(super) fn new(job: &'j mut Job<'a>) -> Self {
        let kernel = PhantomData;
        Dense { job, kernel }
    }
}

impl<R: Kernel, const M: usize, const K: usize, const E: usize> Product
    for Dense<'_, '_, R, M, K, E>
{
    #[inline(always)]
    fn run(self) -> bool {
        if !R::accepts(self.job) {
            return false;
        }
        let shape = self.job.instruction.shape();
        let a = Planes::<R::Factor, E>::decode::<R>(shape.a, self.job.a);
        let b = Planes::<R::Factor, E>::decode::<R>(shape.b, self.job.b);
        if M == 4 {
            quads::<R, K, E>(&a, &b, self.job.d);
        } else {
            rows::<R, M, K, E>(&a, &b, self.job.d, shape.n.into());
        }
        true
    }
}

/// Blocks of 16×16 and 32×32.
#[inline(always)]
fn rows<R: Kernel, const M: usize, const K: usize, const E: usize>(
    a: &Planes<R::Factor, E>,
    b: &Planes<R::Factor, E>,
    d: &mut Registers,
    columns: usize,
) {
    let lanes_of_k = LANES * E / K;
    for block in 0..lanes_of_k / M {
        let start = |k: usize| k / E * lanes_of_k + block * M;
        let b: [_; K] = from_fn(|k| Row::<R::Factor, M>::of(b, k % E, start(k)));
        for i in 0..M {
            let a = |k: usize| part(a, k % E, start(k) + i);
            let Some(row) = row_of_d::<M>(d, block, i) else {
                return;
            };
            add_groups::<R, M, K>(row, columns, a, &b);
        }
    }
}

/// Adds groups of products to a row of D.
///
/// `columns` is `M`, which the compiler does not know. A loop of 16 lanes is written for an unknown number of lanes: of a known one,
/// the compiler would make 16 copies of scalar code, in which it then does not find SIMD code. The bit tells it that no lanes are left
/// after the last vector.
///
/// Sums are a copy, so that the compiler knows that no store changes a factor: where the rows of B are, it may not know.
#[inline(always)]
fn add_groups<R: Kernel, const M: usize, const K: usize>(
    row: &mut [u32; M],
    columns: usize,
    a: impl Fn(usize) -> Part<R::Factor>,
    b: &[Row<'_, R::Factor, M>; K],
) {
    let columns = if M == 16 { columns & M } else { M };
    let mut sums = *row;
    for (group, b) in b.chunks_exact(R::GROUP).enumerate() {
        let first = group * R::GROUP;
        // By number: of a loop over a slice of such a length, the compiler makes scalar code.
        #[allow(clippy::needless_range_loop)]
        for j in 0..columns {
            sums[j] = R::element(sums[j], |k| a(first + k), |k| b[k].part(j));
        }
    }
    *row = sums;
}

/// Row i of a block of D.
#[inline(always)]
fn row_of_d<const M: usize>(d: &mut Registers, block: usize, i: usize) -> Option<&mut [u32; M]> {
    let (register, first) = if M == 32 {
        (16 * block + i / 8 * 4 + i % 4, i / 4 % 2 * 32)
    } else {
        (4 * block + i % 4, i / 4 * 16)
    };
    d.get_mut(register)?.get_mut(first..)?.first_chunk_mut()
}

/// 16 blocks of 4×4: register i of D has row i of every block.
#[inline(always)]
fn quads<R: Kernel, const K: usize, const E: usize>(
    a: &Planes<R::Factor, E>,
    b: &Planes<R::Factor, E>,
    d: &mut Registers,
) {
    for (i, row) in d.iter_mut().enumerate().take(4) {
        let mut spread = *a;
        for e in 0..E {
            spread.values[e] = from_quads(&a.values[e], i);
            spread.scales[e] = from_quads(&a.scales[e], i);
        }
        for group in 0..K / R::GROUP {
            let first = group * R::GROUP;
            for (lane, d) in row.iter_mut().enumerate() {
                *d = R::element(
                    *d,
                    |k| part(&spread, (first + k) % E, lane),
                    |k| part(b, (first + k) % E, lane),
                );
            }
        }
    }
}

/// Gives every lane the value that lane i of its quad has.
#[inline(always)]
pub(super) fn from_quads<T: Copy>(plane: &Plane<T>, i: usize) -> Plane<T> {
    let mut spread = *plane;
    for (lane, value) in spread.iter_mut().enumerate() {
        *value = plane[lane / 4 * 4 + i % 4];
    }
    spread
}

/// A product whose A is sparse: B has `B` elements a lane, twice those of A.
pub(super) struct Sparse<'j, 'a, R, const M: usize, const K: usize, const E: usize, const B: usize>
{
    job: &'j mut Job<'a>,
    kernel: PhantomData<R>,
}

impl<'j, 'a, R, const M: usize, const K: usize, const E: usize, const B: usize>
    Sparse<'j, 'a, R, M, K, E, B>
{
    pub(super) fn new(job: &'j mut Job<'a>) -> Self {
        let kernel = PhantomData;
        Sparse { job, kernel }
    }
}

impl<R: Kernel, const M: usize, const K: usize, const E: usize, const B: usize> Product
    for Sparse<'_, '_, R, M, K, E, B>
{
    #[inline(always)]
    fn run(self) -> bool {
        if !R::accepts(self.job) {
            return false;
        }
        let Job {
            instruction, index, ..
        } = *self.job;
        let (shape, index) = (instruction.shape(), index.unwrap_or(&[0; LANES]));
        let columns = shape.n.into();
        let shift = instruction.index_shift();
        let a = Planes::<R::Factor, E>::decode::<R>(shape.a, self.job.a);
        let b = Planes::<R::Factor, B>::decode::<R>(shape.b, self.job.b);
        // For each stored element, the row of B that it is multiplied with: as a number of rows of planes.
        let mut chosen = [[0; LANES]; E];
        for (e, chosen) in chosen.iter_mut().enumerate() {
            for ((lane, chosen), word) in chosen.iter_mut().enumerate().zip(index) {
                let k = sparse_row(*word, shift, lane / M * E + e, e);
                *chosen = k % B * (LANES / M) + k / B;
            }
        }
        for i in 0..M {
            let lane = |k: usize| (k / E * M + i) % LANES;
            let b: [_; K] = from_fn(|k| Row::<R::Factor, M>::at(&b, chosen[k % E][lane(k)]));
            let a = |k: usize| part(&a, k % E, lane(k));
            let Some(row) = row_of_d::<M>(self.job.d, 0, i) else {
                return true;
            };
            add_groups::<R, M, K>(row, columns, a, &b);
        }
        true
    }
}

/// `N` consecutive lanes of a plane.
#[derive(Clone, Copy)]
struct Row<'a, F: Factor, const N: usize> {
    values: &'a [F::Value; N],
    scales: &'a [F::Scale; N],
}

impl<'a, F: Factor, const N: usize> Row<'a, F, N> {
    /// The lanes of element `e` from `start` on, a multiple of `N`.
    #[inline(always)]
    fn of<const E: usize>(planes: &'a Planes<F, E>, e: usize, start: usize) -> Self {
        Row::at(planes, e * (LANES / N) + start / N)
    }

    /// Row number `at` of all planes.
    #[inline(always)]
    fn at<const E: usize>(planes: &'a Planes<F, E>, at: usize) -> Self {
        let (values, _) = planes.values.as_flattened().as_chunks();
        let (scales, _) = planes.scales.as_flattened().as_chunks();
        let at = at % (E * LANES / N);
        Row {
            values: &values[at],
            scales: &scales[at],
        }
    }

    #[inline(always)]
    fn part(&self, at: usize) -> Part<F> {
        (self.values[at], self.scales[at])
    }
}

#[inline(always)]
fn part<F: Factor, const E: usize>(planes: &Planes<F, E>, e: usize, lane: usize) -> Part<F> {
    (
        planes.values[e][lane % LANES],
        planes.scales[e][lane % LANES],
    )
}
