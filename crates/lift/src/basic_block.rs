//! Lifting of a basic block, with each instruction decoded and lifted once.

use wavetank_gcn::numbers::hwreg;
use wavetank_gcn::tables::{Sopk, Sopp};
use wavetank_gcn::{Chip, Field, Inst, Operand};
use wavetank_ir::{Block, Builder, MemKind, Node, Op, Terminator};

use crate::allocation;
use crate::block::{Flow, Lift};
use crate::modes::Modes;
use crate::traps;

/// The longest block, in instructions. Longer straight code is divided, so that the translation of a block, and the time slice of
/// a wave, cannot grow without bound. A product of matrices reads LDS for some 600 instructions before it writes there again.
pub const MAX_INSTS: usize = 768;

/// The code of a program.
pub trait Code {
    /// The instruction at a guest address.
    ///
    /// # Errors
    /// A message why there is none: the address is outside the code, or the code there is not an instruction of this chip.
    fn inst(&self, pc: u64) -> Result<Inst, String>;

    /// The chip, if the code at a guest address is not an instruction of it: a trap handler is entered for that.
    fn illegal(&self, _pc: u64) -> Option<Chip> {
        None
    }

    /// Whether the program can observe float exceptions: some instruction reads TRAPSTS. Recording them takes time.
    fn shows_exceptions(&self) -> bool {
        false
    }
}

impl<F: Fn(u64) -> Result<Inst, String>> Code for F {
    fn inst(&self, pc: u64) -> Result<Inst, String> {
        self(pc)
    }
}

/// Lifts the basic block at `pc`.
///
/// A word that cannot be fetched or decoded becomes a terminator that stops the kernel, only when a wave reaches it.
///
/// ```
/// use wavetank_gcn::{Chip, Inst, decode};
/// use wavetank_lift::{Modes, lift_block};
///
/// // s_mov_b32 s0, 1; s_endpgm
/// let code = [0x81, 0x00, 0x80, 0xbe, 0x00, 0x00, 0x81, 0xbf];
/// let program = |pc: u64| -> Result<Inst, String> {
///     decode(&code[(pc - 0x100) as usize..], Chip::Gfx900).map_err(|e| e.to_string())
/// };
/// let block = lift_block(&program, 0x100, Modes::default());
/// // Two instructions open; a constant is written; the program ends.
/// assert_eq!(block.nodes.len(), 5);
/// ```
pub fn lift_block(code: &dyn Code, pc: u64, modes: Modes) -> Block {
    lift_insts(code, pc, modes, MAX_INSTS)
}

/// Whether an instruction reads TRAPSTS, for
/// [`shows_exceptions`](Code::shows_exceptions).
pub fn reads_exceptions(inst: &Inst) -> bool {
    let id = match inst.operand(Field::Simm16) {
        Operand::Imm(simm16) => simm16 as u8 & 63,
        _ => return false,
    };
    inst.op == Sopk::S_GETREG_B32.into() && id == hwreg::TRAPSTS
}

/// Whether the instruction at `pc` is a barrier.
fn is_barrier(code: &dyn Code, pc: u64) -> bool {
    code.inst(pc).is_ok_and(|i| i.op == Sopp::S_BARRIER.into())
}

/// A wait for loads within a block, at which the block ends if a write of memory follows.
struct Wait {
    /// The number of nodes up to the wait.
    nodes: usize,
    /// The address of the instruction after it.
    next: u64,
}

/// Whether one of these nodes may change memory that other waves see.
fn writes_memory(nodes: &[Node]) -> bool {
    let writes = |node: &Node| matches!(&node.op, Op::Mem(op) if op.kind != MemKind::Load);
    nodes.iter().any(writes)
}

/// Lifts a block of at most `limit` instructions; 1 is for single-stepping.
///
/// Other waves run while a wave waits for its loads. It matters to them what it writes after that, not what it reads: so a block
/// ends at the last wait before a write.
pub fn lift_insts(code: &dyn Code, pc: u64, modes: Modes, limit: usize) -> Block {
    let b = Builder::new(pc);
    let mut at = pc;
    let mut wait: Option<Wait> = None;
    for _ in 0..limit {
        let inst = match code.inst(at) {
            Ok(inst) => inst,
            Err(what) => {
                b.inst(at, wavetank_ir::Family::Other);
                b.end(match illegal(code, &b, at, modes) {
                    Some(Flow::End(entry)) => entry,
                    _ => Terminator::Unsupported { what: what.into() },
                });
                return b.finish();
            }
        };
        let first = b.so_far().nodes.len();
        b.inst(at, crate::family(&inst));
        let lift = Lift {
            b: &b,
            inst: &inst,
            modes,
            pc: at,
        };
        let flow = flow(&lift);
        if let Some(wait) = &wait
            && writes_memory(&b.so_far().nodes[first..])
        {
            b.truncate(wait.nodes);
            b.end(Terminator::Branch(wait.next));
            return b.finish();
        }
        match flow {
            Flow::Next => at = lift.next(),
            Flow::Wait if is_barrier(code, lift.next()) => at = lift.next(),
            Flow::Wait => {
                at = lift.next();
                let nodes = b.so_far().nodes.len();
                wait = Some(Wait { nodes, next: at });
            }
            Flow::End(t) => {
                b.end(t);
                return b.finish();
            }
        }
    }
    b.end(Terminator::Branch(at));
    b.finish()
}

/// The continuation at an illegal instruction, if a trap handler is entered for it.
fn illegal(code: &dyn Code, b: &Builder, pc: u64, modes: Modes) -> Option<Flow> {
    // S_NOP takes the place of the illegal instruction, which does not affect the handler's registers.
    const S_NOP: u32 = 0xbf80_0000;
    let inst = wavetank_gcn::decode(&S_NOP.to_le_bytes(), code.illegal(pc)?).ok()?;
    let inst = &inst;
    traps::illegal(&Lift { b, inst, modes, pc })
}

/// The continuation of a block after an instruction.
fn flow(l: &Lift) -> Flow {
    if let Some(flow) = traps::instead(l) {
        return flow;
    }
    let flow = match allocation::resolve(l.inst, l.modes) {
        Some(inst) => crate::lift_inst(&Lift { inst: &inst, ..*l }),
        None => Flow::Next,
    };
    match flow {
        Flow::Next | Flow::Wait if l.modes.violates() => traps::violated(l),
        flow if l.modes.single_steps() => traps::stepped(l, flow),
        flow => flow,
    }
}
