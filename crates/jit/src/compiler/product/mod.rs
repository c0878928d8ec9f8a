//! Products of matrices: loops over rows of D, from memory to memory.
//!
//! A row of D is one or two tiles of 16 lanes, and so is a row of B, which stays in registers. The factor of A is broadcast from
//! memory by the instruction that multiplies it.

mod common;
mod doubles;
mod exact;
mod factors;
mod fixed_point;
mod fused;
mod halves;
mod quads;
mod range;
mod rows;
mod settle;

use iced_x86::Code;
use wavetank_ir::{MatrixOp, Span};
use wavetank_lane_ops::Simd;
use wavetank_matrix::ElementType;
use wavetank_memory::VECTOR_REGISTERS;

use crate::compiler::asm::{Asm, Label};
pub(super) use common::Product;
use common::{NO_NAN, Numbers};

impl<'o> Product<'o> {
    /// The product, if there is code for its numbers and its shape, and D shares no register with A or B.
    pub(super) fn of(op: &'o MatrixOp, simd: Simd) -> Option<Product<'o>> {
        let numbers = Numbers::of(&op.instruction)?;
        let shape = op.instruction.shape();
        let d = op.written();
        let is_far = |span: Span| !span.overlaps(d);
        let c_fits = |span: Span| span == d || is_far(span);
        let mut read = op.read();
        let apart = read.by_ref().take(2).all(is_far) && read.all(c_fits);
        let in_file = |span: Span| span.end() as usize <= VECTOR_REGISTERS;
        let product = Product { op, numbers };
        let plain = match (numbers, shape.m) {
            (Numbers::Doubles, 16) => op.instruction.negations() == [false; 3],
            (Numbers::Doubles, _) => false,
            (Numbers::Fused(_), 16 | 32) => product.suits_fused(),
            (_, 16 | 32) => true,
            (Numbers::Singles | Numbers::Bytes, 4) => !op.instruction.broadcasts(),
            _ => false,
        };
        let fits = !shape.sparse && apart && in_file(d) && op.read().all(in_file);
        (simd == Simd::Avx512 && plain && fits).then_some(product)
    }

    /// Emits the code, which jumps to `slow`, with nothing changed, if it does not support the numbers.
    pub(super) fn emit(&self, asm: &mut Asm, slow: Label) {
        asm.use_constants();
        if self.numbers.are_of_single_precision() {
            for mask in NO_NAN {
                asm.op(Code::VEX_Kxnorw_kr_kr_kr, &[mask.into(); 3]);
            }
        }
        match (self.numbers, self.shape().m) {
            (Numbers::Doubles, _) => self.doubles(asm),
            (Numbers::Halves(group), _) => self.halves(asm, group, slow),
            (Numbers::Exact(group), _) => self.exact(asm, group, slow),
            (Numbers::Fused(group), _) => self.fused(asm, group, slow),
            (_, 4) => self.quads(asm),
            _ => self.dwords(asm),
        }
        if self.numbers.are_of_single_precision() {
            self.replace_nans(asm);
        }
    }

    /// Whether the code may jump to the slow path.
    pub(super) fn may_leave(&self) -> bool {
        match self.numbers {
            Numbers::Singles | Numbers::Bytes | Numbers::Doubles => false,
            Numbers::Halves(_) => self.shape().a == ElementType::Bf16,
            Numbers::Exact(_) | Numbers::Fused(_) => true,
        }
    }
}
