//! The trap handler: the conditions for entering it, and the return from it (Vega ISA, 3.9 "Trap and Exception registers", 12.5
//! S_TRAP, 12.3 S_RFE_B64).
//!
//! The modes of a block contain whether a wave has a handler (TBA is not 0), and whether it is in it (STATUS.PRIV). Code lifted
//! for a wave without a handler does not test for one.

use wavetank_gcn::numbers::sreg;
use wavetank_ir::{Reg, Terminator};

use crate::block::{Flow, Lift};
use crate::modes::{HALT, PRIV, TRAP};
use crate::operand::hw;
use crate::value::{Cond, Int};

/// TRAPSTS.EXCP: the bit of memory violations.
const MEMORY_VIOLATION: u32 = 1 << 8;
/// TRAPSTS.ILLEGAL_INST: an illegal instruction was reached.
const ILLEGAL: u32 = 1 << 11;
/// TRAPSTS.SAVECTX: the handler must save the wave.
const SAVE_CONTEXT: u32 = 10;
/// The mask of the 48 bits of a PC.
const PC: u64 = (1 << 48) - 1;

/// The cause of a trap, which a handler reads from TTMP0 and TTMP1: {3'h0, PC_rewind, HT, trapID, PC}.
struct Cause {
    /// The operand of S_TRAP, or 0 for an exception.
    id: u8,
    /// The PC of the wave.
    pc: u64,
    /// The distance in dwords from the causing instruction to the PC.
    rewind: u64,
}

impl Cause {
    /// The cause after an instruction that has been executed.
    fn done(l: &Lift) -> Cause {
        Cause {
            id: 0,
            pc: l.next(),
            rewind: u64::from(l.inst.len / 4),
        }
    }

    fn bits(&self) -> u64 {
        self.pc & PC | u64::from(self.id) << 48 | (self.rewind & 0xf) << 57
    }
}

/// TTMP0 = …; STATUS.PRIV = 1; PC = TBA where the condition holds; else continues at the next instruction.
fn enter_if(l: &Lift, when: Cond, cause: &Cause) -> Flow {
    let saved_pc = Reg::S64(l.rules().first_ttmp);
    let before = Int::i64(l.b, l.b.read(saved_pc));
    let after = when.select(Int::const64(l.b, cause.bits()), before);
    l.b.write(saved_pc, after.v, None);
    let status = l.hardware(hw::STATUS);
    let inside = (status | u64::from(PRIV)) & !u64::from(TRAP);
    l.set_hardware(hw::STATUS, when.select(inside, status));
    let to = when.select(handler(l), Int::const64(l.b, l.next()));
    Flow::End(Terminator::Jump(to.v))
}

fn enter(l: &Lift, cause: &Cause) -> Flow {
    enter_if(l, Cond::new(l.b, l.b.u32(1)), cause)
}

/// TBA, the address of the handler.
fn handler<'a>(l: &Lift<'a>) -> Int<'a> {
    if l.rules().trap_addresses_are_scalar {
        l.sgpr64(sreg::TBA)
    } else {
        l.hardware(hw::TBA_LO).pack(l.hardware(hw::TBA_HI))
    }
}

/// Whether S_SETREG writes TBA and TMA: in a handler (3.4 STATUS.PRIV).
pub(crate) fn addresses_are_written(l: &Lift) -> bool {
    l.modes.privileged() && !l.rules().trap_addresses_are_scalar
}

/// S_TRAP: without effect if TRAP_EN = 0; else enters the handler, with the PC of the S_TRAP itself (3.2 "Program counter").
/// Without a handler, the host handles the trap.
pub(crate) fn trap(l: &Lift) -> Flow {
    let id = l.simm16() as u8;
    let (pc, next) = (l.pc, l.next());
    match (l.modes.traps_ignored(), l.modes.has_handler()) {
        (true, _) => Flow::Next,
        (false, true) => enter(l, &Cause { id, pc, rewind: 0 }),
        (false, false) => Flow::End(Terminator::Trap { id, next }),
    }
}

/// PRIV = 0; PC = S0. A wave that must save its context enters the handler again. Without PRIV it is a jump: it "may only be used
/// within a trap handler".
pub(crate) fn return_from_exception<'a>(l: &Lift<'a>, to: Int<'a>) -> Flow {
    if !l.modes.privileged() {
        return Flow::End(Terminator::Jump(to.v));
    }
    let status = l.hardware(hw::STATUS) & !u64::from(PRIV);
    l.set_hardware(hw::STATUS, status | saves(l));
    Flow::End(Terminator::Jump((to & PC).v))
}

/// STATUS.TRAP for a wave with TRAPSTS.SAVECTX, else 0.
fn saves<'a>(l: &Lift<'a>) -> Int<'a> {
    let saves = l.hardware(hw::TRAPSTS) >> u64::from(SAVE_CONTEXT) & 1;
    saves << u64::from(TRAP.trailing_zeros())
}

/// Ends the block after a write of TRAPSTS: with SAVECTX the wave enters its handler.
pub(crate) fn status_written(l: &Lift) -> Flow {
    if !l.modes.may_enter() {
        return Flow::Next;
    }
    l.set_hardware(hw::STATUS, l.hardware(hw::STATUS) | saves(l));
    Flow::End(Terminator::Branch(l.next()))
}

/// The action of a wave in place of an instruction: it has halted, or enters its handler.
pub(crate) fn instead(l: &Lift) -> Option<Flow> {
    if l.modes.halted() {
        return Some(halted(l));
    }
    let (id, pc, rewind) = (0, l.pc, 0);
    match (l.modes.trapped(), l.modes.has_handler()) {
        (false, _) => None,
        (true, true) => Some(enter(l, &Cause { id, pc, rewind })),
        (true, false) => Some(Flow::unsupported(
            l.inst,
            "it raises an exception that MODE.EXCP_EN enables, and there is no trap handler \
             (TRAPSTS says which; clear EXCP_EN to go on)",
        )),
    }
}

/// Sets a bit of TRAPSTS.
fn note(l: &Lift, bit: u32) {
    let trapsts = l.hardware(hw::TRAPSTS) | u64::from(bit);
    l.set_hardware(hw::TRAPSTS, trapsts);
}

/// Enters the handler after an access that was refused for some lanes, and has been done for the others.
pub(crate) fn violated(l: &Lift) -> Flow {
    note(l, MEMORY_VIOLATION);
    enter(l, &Cause::done(l))
}

/// Enters the handler at an illegal instruction. `None` for a wave that enters no handler.
pub(crate) fn illegal(l: &Lift) -> Option<Flow> {
    let (id, pc, rewind) = (0, l.pc, 0);
    l.modes.may_enter().then(|| {
        note(l, ILLEGAL);
        enter(l, &Cause { id, pc, rewind })
    })
}

/// Traps where the condition holds, because an enabled exception was raised. Without a handler the wave stops there: it does not
/// get past STATUS.TRAP.
pub(crate) fn raised(l: &Lift, when: Cond) -> Flow {
    if l.modes.has_handler() {
        return enter_if(l, when, &Cause::done(l));
    }
    let flag = when.as_int() << u64::from(TRAP.trailing_zeros());
    l.set_hardware(hw::STATUS, l.hardware(hw::STATUS) | flag);
    Flow::End(Terminator::CondBranch {
        cond: when.v,
        taken: l.pc,
        next: l.next(),
    })
}

/// Sets STATUS.TRAP after an instruction of a single-stepped wave (3.5 MODE.DEBUG), unless the wave is in the handler already.
/// There is no step after the end.
pub(crate) fn stepped(l: &Lift, flow: Flow) -> Flow {
    let end = match flow {
        Flow::Next | Flow::Wait => Terminator::Branch(l.next()),
        Flow::End(end) => end,
    };
    let stops = matches!(
        end,
        Terminator::EndProgram | Terminator::Unsupported { .. } | Terminator::Trap { .. }
    );
    if !stops {
        let status = l.hardware(hw::STATUS);
        let outside = !(status >> u64::from(PRIV.trailing_zeros())) & 1;
        let flag = outside << u64::from(TRAP.trailing_zeros());
        l.set_hardware(hw::STATUS, status | flag);
    }
    Flow::End(end)
}

/// S_SETHALT: STATUS.HALT = SIMM16[0]. A handler is not halted by that, but the wave is when it returns. Outside a handler, the
/// wave stops for good, and clearing the bit has no effect, since a halted wave does not run.
pub(crate) fn set_halt(l: &Lift) -> Flow {
    match (l.simm16() & 1 == 1, l.modes.privileged()) {
        (true, false) => halted(l),
        (false, false) => Flow::Next,
        (on, true) => {
            let status = l.hardware(hw::STATUS) & !u64::from(HALT);
            let halt = if on { HALT } else { 0 };
            l.set_hardware(hw::STATUS, status | u64::from(halt));
            Flow::Next
        }
    }
}

/// S_SENDMSGHALT: STATUS.HALT = 1 and a message. The continuation of a halted wave is lifted as a stop ([`instead`]).
pub(crate) fn message_and_halt(l: &Lift) -> Flow {
    l.set_hardware(hw::STATUS, l.hardware(hw::STATUS) | u64::from(HALT));
    let next = if l.modes.privileged() { l.next() } else { l.pc };
    let message = l.simm16();
    Flow::End(Terminator::Message { message, next })
}

/// The end of a block for a wave that has halted.
fn halted(l: &Lift) -> Flow {
    Flow::unsupported(l.inst, "it halts the wave, and no debugger could resume it")
}

#[cfg(test)]
mod tests {
    use wavetank_gcn::numbers::hwreg;
    use wavetank_gcn::tables::Sopp;
    use wavetank_gcn::{Chip, Op};
    use wavetank_ir::HARDWARE_REGISTERS;

    use super::*;
    use crate::Modes;
    use crate::coverage::alone_in;

    /// The modes of a wave with all registers, by STATUS, MODE and TBA.
    fn modes(status: u32, mode: u32, tba: u32) -> Modes {
        let mut hw = [0; HARDWARE_REGISTERS];
        hw[usize::from(hwreg::GPR_ALLOC)] = 63 << 8 | 15 << 24;
        hw[usize::from(hwreg::STATUS)] = status;
        hw[usize::from(hwreg::MODE)] = mode;
        hw[usize::from(hwreg::TBA_LO)] = tba;
        Modes::of_wave(&hw, 0)
    }

    const TRAP_EN: u32 = 1 << 6;
    const DEBUG: u32 = 1 << 11;

    #[test]
    fn a_handler_changes_no_other_instruction() {
        let alone = modes(TRAP_EN, 0, 0);
        assert_eq!(alone, Modes::default());
        let handled = modes(TRAP_EN, 0, 0x1000);
        let text = |op, chip, modes| alone_in(op, chip, modes).to_string();
        for chip in [Chip::Gfx600, Chip::Gfx700, Chip::Gfx803, Chip::Gfx900] {
            for op in Op::all().filter(|op| op.row().exists_on(chip)) {
                let same = text(op, chip, alone) == text(op, chip, handled);
                assert_eq!(same, op != Sopp::S_TRAP.into(), "{op:?} on {chip}");
            }
        }
    }

    /// 3.4 and 3.5: in a handler only an S_TRAP enters it again; without TRAP_EN, or without a handler, nothing does.
    #[test]
    fn waves_enter_from_outside_with_trap_en() {
        let violations = 1 << 20;
        let enters = |status, tba| {
            let modes = modes(status, DEBUG | violations, tba);
            let all = [
                modes.single_steps(),
                modes.violations_trap(),
                modes.after_violation().is_some(),
                modes.may_enter(),
            ];
            assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
            all[0]
        };
        assert!(enters(TRAP_EN, 0x1000));
        assert!(!enters(TRAP_EN | PRIV, 0x1000));
        assert!(!enters(0, 0x1000));
        assert!(!enters(TRAP_EN, 0));
        assert!(!modes(TRAP_EN | HALT | TRAP | PRIV, 0, 0x1000).halted());
        assert!(!modes(TRAP_EN | HALT | TRAP | PRIV, 0, 0x1000).trapped());
        assert!(modes(HALT | TRAP, 0, 0x1000).halted());
        assert!(!modes(HALT | TRAP, 0, 0x1000).trapped());
    }
}
