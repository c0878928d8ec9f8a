//! Lifting of consecutive instructions to one block of wave IR.

use wavetank_ir::{Block, Builder, Family, Terminator};

/// Lifts at most `most` instructions from the address `pc` on to one block; the end of the program counts as an instruction. The
/// first instruction is at address 0, and each is `step` bytes long. One that cannot be lifted stops the program when it runs.
pub(crate) fn lift_block<Inst>(
    insts: &[Inst],
    step: u64,
    pc: u64,
    most: usize,
    lift: impl Fn(&Inst, &Builder) -> Result<(), String>,
) -> Block {
    let b = Builder::new(pc);
    let first = usize::try_from(pc / step).unwrap_or(usize::MAX);
    let rest = insts.get(first..).unwrap_or_default();
    let mut at = pc;
    for inst in rest.iter().take(most) {
        b.inst(at, Family::Vmem);
        if let Err(what) = lift(inst, &b) {
            b.end(Terminator::Unsupported { what: what.into() });
            return b.finish();
        }
        at += step;
    }
    if most <= rest.len() {
        b.end(Terminator::Branch(at));
    } else {
        b.inst(at, Family::Other);
        b.end(Terminator::EndProgram);
    }
    b.finish()
}
