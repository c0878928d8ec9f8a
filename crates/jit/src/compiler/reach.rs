//! Bounds checks in compiled code: the rule of [`wavetank_memory::Reach`] as comparisons. All bytes of an access lie from a start
//! to before an end, and no sum wraps around.

use iced_x86::{Code, Register};

use crate::compiler::asm::{Arg, Asm, Label, Mem};

/// Jumps to a label unless `bytes` bytes at the address in a register lie from a start to before an end, of 64 bits each. Another
/// register is changed.
pub(super) fn unless_between(
    asm: &mut Asm,
    (address, bytes): (Register, i32),
    [start, end]: [Arg; 2],
    other: Register,
    to: Label,
) {
    asm.op(Code::Cmp_r64_rm64, &[address.into(), start]);
    asm.jump(Code::Jb_rel32_64, to);
    asm.op(Code::Mov_r64_rm64, &[other.into(), address.into()]);
    asm.with_constant(Code::Add_rm64_imm32, other.into(), bytes, true);
    // An access that wraps around is out of bounds.
    asm.jump(Code::Jb_rel32_64, to);
    asm.op(Code::Cmp_r64_rm64, &[other.into(), end]);
    asm.jump(Code::Ja_rel32_64, to);
}

/// Jumps to a label unless `bytes` bytes at a 32-bit offset in a register, plus a constant, lie below an end in another register.
/// A third register is changed.
pub(super) fn unless_below(
    asm: &mut Asm,
    (offset, constant, bytes): (Register, u32, u32),
    end: Register,
    other: Register,
    to: Label,
) {
    let last = Mem::at(offset, constant + bytes);
    asm.op(Code::Lea_r64_m, &[other.into(), last.into()]);
    asm.op(Code::Cmp_r64_rm64, &[other.into(), end.into()]);
    asm.jump(Code::Ja_rel32_64, to);
}
