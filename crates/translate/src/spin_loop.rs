//! Detection of spin loops: loops that only another wave's store can end.

use wavetank_ir::{Block, MemKind, Op, RegFile, Span, Terminator};
use wavetank_lift::{Code, Modes, lift_block};
use wavetank_machine::SpinLoop;

/// The longest loop that is analysed, in bytes of code.
const LONGEST: u64 = 512;

/// The largest number of registers whose values are compared between iterations; a vector register counts as one.
const MAX_REGISTERS: u32 = 24;

/// The properties of an instruction that the detection needs.
#[derive(Default)]
struct Facts {
    reads: Vec<Span>,
    writes: Vec<Span>,
    /// Whether it loads a value from memory that other waves may change.
    loads: bool,
    /// Whether it is a conditional branch.
    decides: bool,
}

/// The loop that the branch at the end of a block closes, if a wave may spin in it. Such a loop contains loads, the loaded
/// values decide when it ends, and no address of these loads changes in each iteration.
pub(crate) fn spin_loop(code: &dyn Code, block: &Block, modes: Modes) -> Option<SpinLoop> {
    let branch = last_instruction(block)?;
    let end = &block.nodes.last()?.op;
    let &Op::End(Terminator::Branch(start) | Terminator::CondBranch { taken: start, .. }) = end
    else {
        return None;
    };
    if start > branch || branch - start > LONGEST {
        return None;
    }
    let instructions = instructions(code, start, branch, modes)?;
    if !ends_by_loads(&instructions) {
        return None;
    }
    let registers = progress_registers(&instructions)?;
    Some(SpinLoop { branch, registers })
}

/// Whether the loaded values decide when the loop ends, if it does. A loop that only counts its iterations ends by itself,
/// whatever other waves write.
fn ends_by_loads(instructions: &[Facts]) -> bool {
    let mut depend = Vec::new();
    for facts in instructions.iter().filter(|facts| facts.loads) {
        add(&mut depend, &facts.writes);
    }
    loop {
        let known = depend.len();
        for facts in instructions {
            if facts.reads_any(&depend) {
                add(&mut depend, &facts.writes);
            }
        }
        if depend.len() == known {
            break;
        }
    }
    let mut deciding = instructions.iter().filter(|facts| facts.decides);
    deciding.clone().next().is_none() || deciding.any(|facts| facts.reads_any(&depend))
}

fn last_instruction(block: &Block) -> Option<u64> {
    block.nodes.iter().rev().find_map(|node| match node.op {
        Op::Inst { pc, .. } => Some(pc),
        _ => None,
    })
}

/// The instructions from `start` to `last`. `None` if one of them does anything but compute, access memory or branch.
fn instructions(code: &dyn Code, start: u64, last: u64, modes: Modes) -> Option<Vec<Facts>> {
    let mut all: Vec<Facts> = Vec::new();
    let mut at = start;
    while at <= last {
        let block = lift_block(code, at, modes);
        for node in &block.nodes {
            if let Op::Inst { .. } = node.op {
                all.push(Facts::default());
            } else {
                all.last_mut()?.add(&node.op)?;
            }
        }
        let end = last_instruction(&block)?;
        at = end.wrapping_add(code.inst(end).ok()?.len.into());
    }
    Some(all)
}

impl Facts {
    /// Adds the effects of an operation of the instruction; `None` if a spin loop cannot contain it.
    fn add(&mut self, op: &Op) -> Option<()> {
        let effects = op.effects();
        let leaves = matches!(op, Op::End(Terminator::Jump(_))) || effects.yields;
        let hardware = |span: Span| span.file == RegFile::Hardware;
        if leaves || effects.writes.iter().any(hardware) {
            return None;
        }
        self.reads.extend(effects.reads.iter());
        self.writes.extend(effects.writes.iter());
        if let Op::Mem(op) = op {
            self.loads |= op.kind == MemKind::Load || op.ret.is_some();
        }
        self.decides |= matches!(op, Op::End(Terminator::CondBranch { .. }));
        Some(())
    }

    /// Whether the instruction reads one of these registers.
    fn reads_any(&self, registers: &[Span]) -> bool {
        let overlaps = |read: &Span| registers.iter().any(|r| r.overlaps(*read));
        self.reads.iter().any(overlaps)
    }

    /// Whether the instruction computes a new value of a register from the old one, like an index that steps through memory.
    fn steps(&self, register: Span) -> bool {
        let has = |spans: &[Span]| spans.iter().any(|span| span.overlaps(register));
        !self.loads && has(&self.reads) && has(&self.writes)
    }
}

/// The registers that distinguish iterations: those that the loads write, and all that their addresses and operands are computed
/// from. `None` without a load, if one of the latter changes in each iteration, or if they are too many.
///
/// EXEC, which holds results of the lanes, is included, but not the registers that it is computed from, which may be a count of
/// iterations.
fn progress_registers(instructions: &[Facts]) -> Option<Vec<Span>> {
    let mut registers = vec![Span::EXEC];
    let loads = || instructions.iter().filter(|facts| facts.loads);
    loads().next()?;
    for facts in loads() {
        add(&mut registers, &facts.reads);
    }
    loop {
        let known = registers.len();
        for facts in instructions {
            let made_of =
                |r: &Span| *r != Span::EXEC && facts.writes.iter().any(|w| w.overlaps(*r));
            if registers.iter().any(made_of) {
                add(&mut registers, &facts.reads);
            }
        }
        if registers.len() == known {
            break;
        }
    }
    let addresses = registers.iter().filter(|r| **r != Span::EXEC);
    let mut pairs = addresses.flat_map(|r| instructions.iter().map(move |facts| (facts, r)));
    if pairs.any(|(facts, register)| facts.steps(*register)) {
        return None;
    }
    for facts in loads() {
        add(&mut registers, &facts.writes);
    }
    let count: u32 = registers.iter().map(|span| span.count).sum();
    (count <= MAX_REGISTERS).then_some(registers)
}

fn add(registers: &mut Vec<Span>, more: &[Span]) {
    for span in more {
        if !registers.contains(span) {
            registers.push(*span);
        }
    }
}
