//! Products of matrices.

use wavetank_ir::{Addend, LANES, MatrixOp};
use wavetank_matrix::{Level, multiply_at};
use wavetank_memory::{VECTOR_REGISTERS, VectorRegisters};

use crate::drive::Custom;
use crate::simd::Simd;
use crate::step::{Ctx, Next, Step};
use crate::store::Store;

/// The most registers of A, and of B: those of B in sparse shapes.
const MOST: usize = 4;

/// Computes a product of matrices in the vector registers of a wave.
///
/// Operands are copied where D may overwrite them; a span that leaves the file gives no result.
pub fn multiply_in(file: &mut VectorRegisters, product: &MatrixOp, level: Level) {
    let d = range(product.written());
    if d.end > VECTOR_REGISTERS
        || product
            .read()
            .any(|span| range(span).end > VECTOR_REGISTERS)
    {
        return;
    }
    let mut room = [[[0; LANES]; MOST]; 2];
    let [a, b] = &mut room;
    let mut read = product.read().map(range);
    let (a, b) = match (read.next(), read.next()) {
        (Some(of_a), Some(of_b)) => (copy(file, of_a, a), copy(file, of_b, b)),
        _ => unreachable!("A and B are read"),
    };
    let index = product.index.map(|index| file[usize::from(index)]);
    let addend = match product.c {
        Addend::Every(bits) => wavetank_matrix::Addend::Every(bits),
        Addend::Registers(first) => {
            let first = usize::from(first);
            file.copy_within(first..first + d.len(), d.start);
            wavetank_matrix::Addend::InPlace
        }
    };
    let result = multiply_at(
        level,
        &product.instruction,
        a,
        b,
        addend,
        index.as_ref(),
        &mut file[d],
    );
    debug_assert!(result.is_ok(), "the operands are those of the shape");
}

fn range(span: wavetank_ir::Span) -> std::ops::Range<usize> {
    span.first as usize..span.end() as usize
}

fn copy<'r>(
    file: &VectorRegisters,
    from: std::ops::Range<usize>,
    to: &'r mut [[u32; LANES]; MOST],
) -> &'r [[u32; LANES]] {
    let to = &mut to[..from.len()];
    to.copy_from_slice(&file[from]);
    to
}

/// The level of the routines for matrices that belongs to one of steps.
const fn level(simd: Simd) -> Level {
    match simd {
        Simd::Avx512 => Level::Avx512,
        Simd::Avx2 => Level::Avx2,
        Simd::Baseline => Level::Baseline,
    }
}

/// Makes a step multiply matrices, by the address of its [`MatrixOp`], which is kept with the block.
pub fn set_product(step: &mut Step, product: u64, simd: Simd) {
    (step.imm[0], step.imm[1]) = (product, simd as u64);
}

/// The step of a product: `imm[0]` is the address of its operation, and `imm[1]` the number of the level.
pub(crate) struct Product;

impl Custom for Product {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering keeps the operation with the block; the file begins with the vector registers, which nothing else borrows.
        unsafe {
            let product: &MatrixOp = &*std::ptr::with_exposed_provenance(s.imm[0] as usize);
            let simd = [Simd::Baseline, Simd::Avx2, Simd::Avx512]
                .into_iter()
                .find(|simd| *simd as u64 == s.imm[1]);
            let level = level(simd.unwrap_or(Simd::Baseline));
            multiply_in(&mut *ctx.v(0).cast::<VectorRegisters>(), product, level);
        }
        Next::Step
    }
}
