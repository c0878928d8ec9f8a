//! Segments in which the host reads denormals as zeros of their sign (DAZ of MXCSR), as the guest's mode asks for: operands then
//! need no care, nor does a product that is summed. Results are multiplied by one, which reads them so.
//!
//! FTZ does not make zeros of the same results: it looks at what has been rounded to 24 bits, as if exponents had no end. Just
//! below the smallest normal number that is less, where a denormal would have rounded up to it.

use iced_x86::{Code, Register};
use wavetank_ir::{Bin, Block, Elem, Fp, Op, Tern, Un, Value};

use crate::compiler::asm::{Asm, Mem};

/// MXCSR as programs begin with it, and DAZ.
const ZEROS: u32 = 0x1f80 | 1 << 6;

/// So many operations in a segment outweigh that MXCSR is set.
const ENOUGH: usize = 3;

/// Whether the host is to read denormals as zeros in a segment: all floats of it are of single precision, by operations that
/// flush and become instructions of the host.
pub fn suit(block: &Block, nodes: &[Value]) -> bool {
    let mut count = 0;
    nodes.iter().all(|v| match flushes(&block.node(*v).op) {
        Some(flushes) => {
            count += usize::from(flushes);
            true
        }
        None => false,
    }) && count >= ENOUGH
}

/// Whether an operation flushes; `None` if denormals may be more than zeros in it.
fn flushes(op: &Op) -> Option<bool> {
    let both = |fp: Fp| (fp.flush_in && fp.flush_out).then_some(true);
    match *op {
        Op::Bin(Bin::FAdd | Bin::FSub | Bin::FMul, Elem::F32, fp, ..) => both(fp),
        Op::Tern(Tern::Fma | Tern::FMad, Elem::F32, fp, ..) => both(fp),
        Op::Un(Un::FRcp | Un::FRsq | Un::FSqrt, Elem::F32, fp, ..) => both(fp),
        Op::Cmp(_, Elem::F32, fp, ..) => fp.flush_in.then_some(true),
        // Of signs and of bits.
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

/// Sets DAZ. The register of constants has been set.
pub fn begin(asm: &mut Asm) {
    let zeros = asm.constant(ZEROS);
    asm.op(Code::VEX_Vstmxcsr_m32, &[room().into()]);
    asm.op(Code::VEX_Vldmxcsr_m32, &[zeros.into()]);
}

/// Restores MXCSR.
pub fn end(asm: &mut Asm) {
    asm.op(Code::VEX_Vldmxcsr_m32, &[room().into()]);
}
