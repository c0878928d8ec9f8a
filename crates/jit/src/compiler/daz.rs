//! Segments in which the host reads denormals as zeros of their sign (DAZ of MXCSR), if the guest's mode flushes them. Then
//! operands, and products that are added to a sum, need no extra instructions. Results are multiplied by one, which flushes them.
//!
//! FTZ would not flush the same results: it tests the number rounded to 24 bits with an unlimited exponent. Just below the
//! smallest normal number that is smaller, where a denormal would have been rounded up to the normal one.

use iced_x86::{Code, Register};
use wavetank_ir::{Bin, Block, Elem, Fp, Op, Tern, Un, Value};

use crate::compiler::asm::{Asm, Mem};

/// The initial MXCSR of programs, with DAZ.
const ZEROS: u32 = 0x1f80 | 1 << 6;

/// The number of operations in a segment from which setting MXCSR pays.
const ENOUGH: usize = 3;

/// Whether the host should read denormals as zeros in a segment: all of its floats are of single precision, by operations that
/// flush and are compiled to instructions.
pub(super) fn suit(block: &Block, nodes: &[Value]) -> bool {
    let mut count = 0;
    nodes.iter().all(|v| match flushes(&block.node(*v).op) {
        Some(flushes) => {
            count += usize::from(flushes);
            true
        }
        None => false,
    }) && count >= ENOUGH
}

/// Whether an operation flushes; `None` if denormals may affect it in another way.
fn flushes(op: &Op) -> Option<bool> {
    let both = |fp: Fp| (fp.flush_in && fp.flush_out).then_some(true);
    match *op {
        Op::Bin(Bin::FAdd | Bin::FSub | Bin::FMul, Elem::F32, fp, ..) => both(fp),
        Op::Tern(Tern::Fma | Tern::FMad, Elem::F32, fp, ..) => both(fp),
        Op::Un(Un::FRcp | Un::FRsq | Un::FSqrt, Elem::F32, fp, ..) => both(fp),
        Op::Cmp(_, Elem::F32, fp, ..) => fp.flush_in.then_some(true),
        // Operations on the sign bit and on integers.
        Op::Un(Un::FNeg | Un::FAbs, Elem::F32, ..)
        | Op::Un(_, Elem::I16 | Elem::I32 | Elem::I64, ..)
        | Op::Bin(_, Elem::I16 | Elem::I32 | Elem::I64, ..)
        | Op::Tern(_, Elem::I16 | Elem::I32 | Elem::I64, ..)
        | Op::Cmp(_, Elem::I16 | Elem::I32 | Elem::I64, ..)
        | Op::Select(..)
        | Op::Read(_)
        | Op::Write { .. }
        | Op::LaneId => Some(false),
        _ => None,
    }
}

/// The spill slot of MXCSR on the stack.
fn room() -> Mem {
    Mem::at(Register::RSP, 0)
}

/// Sets DAZ. The register of constants must be loaded.
pub(super) fn begin(asm: &mut Asm) {
    let zeros = asm.constant(ZEROS);
    asm.op(Code::VEX_Vstmxcsr_m32, &[room().into()]);
    asm.op(Code::VEX_Vldmxcsr_m32, &[zeros.into()]);
}

/// Restores the MXCSR that `begin` stored.
pub(super) fn end(asm: &mut Asm) {
    asm.op(Code::VEX_Vldmxcsr_m32, &[room().into()]);
}
