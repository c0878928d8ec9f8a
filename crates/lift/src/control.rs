//! Control flow: SOPP, exports, and scalar instructions that jump or change MODE (Vega ISA, 4 "Program flow control" and 12.5
//! SOPP).

use wavetank_gcn::tables::Sopp;
use wavetank_gcn::{Field, Flags, Operand};
use wavetank_ir::{Export, Reg, Terminator};

use crate::block::{Flow, Lift};
use crate::modes::{GPR_IDX_EN, HAS_TURN, VSKIP};
use crate::operand::{EXEC, M0, VCC, hw};
use crate::traps;
use crate::value::{Cond, Int};
use crate::waits;

/// Lifts a SOPP instruction.
pub(crate) fn sopp(l: &Lift, op: Sopp) -> Flow {
    use Sopp::*;
    let next = l.next();
    let vcc = || l.sgpr64(VCC);
    match op {
        S_BRANCH => Flow::End(Terminator::Branch(l.target())),
        S_CBRANCH_SCC0 => branch_if(l, !l.scc()),
        S_CBRANCH_SCC1 => branch_if(l, l.scc()),
        S_CBRANCH_VCCZ => branch_if(l, vcc().eq(0)),
        S_CBRANCH_VCCNZ => branch_if(l, vcc().ne(0)),
        S_CBRANCH_EXECZ => branch_if(l, l.exec().eq(0)),
        S_CBRANCH_EXECNZ => branch_if(l, l.exec().ne(0)),
        S_CBRANCH_CDBGUSER => branch_if(l, status(l, COND_DBG_USER)),
        S_CBRANCH_CDBGSYS => branch_if(l, status(l, COND_DBG_SYS)),
        S_CBRANCH_CDBGSYS_OR_USER => {
            branch_if(l, status(l, COND_DBG_SYS) | status(l, COND_DBG_USER))
        }
        S_CBRANCH_CDBGSYS_AND_USER => {
            branch_if(l, status(l, COND_DBG_SYS) & status(l, COND_DBG_USER))
        }

        S_ENDPGM | S_ENDPGM_SAVED | S_ENDPGM_ORDERED_PS_DONE => Flow::End(Terminator::EndProgram),
        S_BARRIER => Flow::End(Terminator::Barrier { next }),
        S_SLEEP => Flow::End(Terminator::Sleep { next }),
        S_SENDMSG => Flow::End(Terminator::Message {
            message: l.simm16(),
            next,
        }),
        S_TRAP => traps::trap(l),
        S_WAITCNT => {
            let counters = waits::counters(l);
            l.b.waitcnt(counters);
            // Other waves run meanwhile: a block ends where a wave may have to yield.
            if waits::for_loads(&l.b.so_far(), counters) {
                Flow::Wait
            } else {
                Flow::Next
            }
        }
        // The code after it is fetched again, so it cannot be in this block.
        S_ICACHE_INV => Flow::End(Terminator::Branch(next)),

        S_SET_GPR_IDX_OFF => {
            let mode = l.hardware(hw::MODE) & !u64::from(GPR_IDX_EN);
            set_mode(l, mode)
        }
        S_SET_GPR_IDX_MODE => {
            let enables = u64::from(l.simm16() & 0xf) << 12;
            let m0 = (l.m0() & !0xf000) | enables;
            l.b.write(Reg::S(M0), m0.v, None);
            Flow::End(Terminator::Branch(next))
        }

        // No effect by design: time and priority are not modelled, and the scheduler wakes a sleeping wave anyway.
        S_NOP | S_SETPRIO | S_WAKEUP => Flow::Next,
        // No effect by design: the counters and the trace cannot be read.
        S_INCPERFLEVEL | S_DECPERFLEVEL | S_TTRACEDATA => Flow::Next,
        S_SETHALT => traps::set_halt(l),
        S_SENDMSGHALT => traps::message_and_halt(l),
        // A wave whose KILL bit is set ends.
        S_SETKILL if l.simm16() & 1 != 0 => Flow::End(Terminator::EndProgram),
        S_SETKILL => Flow::Next,
    }
}

/// Lifts an export (Vega ISA, 10 "Exporting pixel and vertex data" and 12.17
/// EXPORT).
pub(crate) fn export(l: &Lift) -> Flow {
    let target = match l.inst.operand(Field::Target) {
        Operand::Imm(n) => n as u8,
        _ => 0,
    };
    let source = |field| match l.inst.operand(field) {
        Operand::Vgpr(n) => Some(l.b.read(Reg::V(n.into()))),
        _ => None,
    };
    Flow::End(Terminator::Export {
        export: Export {
            target,
            sources: [Field::Exp0, Field::Exp1, Field::Exp2, Field::Exp3].map(source),
            mask: l.exec_mask(),
            compressed: l.inst.has(Flags::COMPR),
            done: l.inst.has(Flags::DONE),
            valid_mask: l.inst.has(Flags::VM),
        },
        next: l.next(),
    })
}

/// Bits of STATUS (Vega ISA, 3.4 "Status register").
const COND_DBG_USER: u32 = 20;
const COND_DBG_SYS: u32 = 21;
/// The bits that handlers can write: SCC, priorities, HALT and the conditions of debuggers. The others describe how the wave was
/// started, or are derived.
const STATUS_OF_HANDLERS: u64 = 1 | 0xf << 1 | 1 << 13 | 3 << COND_DBG_USER;
/// MODE[31:29]: the depth of the stack of forks.
const CSP: u32 = 29;

impl<'a> Lift<'a> {
    /// The value of a hardware register.
    pub(crate) fn hardware(&self, id: u8) -> Int<'a> {
        Int::i32(self.b, self.b.read(Reg::Hw(id)))
    }

    /// Writes a hardware register.
    pub(crate) fn set_hardware(&self, id: u8, value: Int<'a>) {
        self.b.write(Reg::Hw(id), value.v, None);
    }
}

fn status<'a>(l: &Lift<'a>, bit: u32) -> Cond<'a> {
    ((l.hardware(hw::STATUS) >> u64::from(bit)) & 1).as_cond()
}

/// Writes MODE. Blocks are lifted for a fixed MODE, so the block ends.
fn set_mode(l: &Lift, mode: Int) -> Flow {
    l.set_hardware(hw::MODE, mode);
    Flow::End(Terminator::Branch(l.next()))
}

fn branch_if(l: &Lift, cond: Cond) -> Flow {
    Flow::End(Terminator::CondBranch {
        cond: cond.v,
        taken: l.target(),
        next: l.next(),
    })
}

/// PC = S0, by a computed jump.
pub(crate) fn jump(to: Int) -> Flow {
    Flow::End(Terminator::Jump(to.v))
}

/// D = PC + 4; PC = S0.
pub(crate) fn call<'a>(l: &Lift<'a>, to: Int<'a>) -> Flow {
    l.write_scalar(Int::const64(l.b, l.next()));
    match l.b.as_const(to.v) {
        Some(pc) => Flow::End(Terminator::Branch(pc)),
        None => jump(to),
    }
}

/// The offset, the width and the register in SIMM16: {size − 1 [15:11], offset [10:6], register [5:0]}.
fn hardware_field(l: &Lift) -> (u64, u64, u8) {
    let simm16 = u64::from(l.simm16());
    let mask = u64::MAX >> (63 - (simm16 >> 11));
    (simm16 >> 6 & 31, mask & 0xffff_ffff, (simm16 & 63) as u8)
}

/// s_getreg: a field of a hardware register.
pub(crate) fn get_hardware_register<'a>(l: &Lift<'a>) -> Int<'a> {
    let (offset, mask, id) = hardware_field(l);
    let register = match id {
        hw::STATUS => live_status(l),
        // State of waves that chips do not show.
        hw::MISSING_ACC | HAS_TURN => Int::i32(l.b, l.b.u32(0)),
        _ => l.hardware(id),
    };
    (register >> offset) & mask
}

/// STATUS with the bits that are derived from other state: SCC, EXECZ and VCCZ (Vega ISA, 3.4 "Status register").
fn live_status<'a>(l: &Lift<'a>) -> Int<'a> {
    let vcc = l.sgpr64(VCC);
    let bits = [(0, l.scc()), (9, l.exec().eq(0)), (10, vcc.eq(0))];
    bits.into_iter()
        .fold(l.hardware(hw::STATUS), |status, (n, bit)| {
            (status & !(1 << n)) | (bit.as_int() << n)
        })
}

/// s_setreg: replaces a field of a hardware register. MODE and TRAPSTS can be written (Vega ISA, table "Hardware register
/// values"), and with PRIV some bits of STATUS, TBA and TMA (docs/reference/errata.md, "S_SETREG").
pub(crate) fn set_hardware_register<'a>(l: &Lift<'a>, value: Int<'a>) -> Flow {
    let (offset, mask, id) = hardware_field(l);
    let writable = match id {
        hw::MODE => u64::from(l.rules().mode_bits),
        hw::TRAPSTS => 0xffff_ffff,
        hw::STATUS if l.modes.privileged() => STATUS_OF_HANDLERS,
        hw::TBA_LO..=hw::TMA_HI if traps::addresses_are_written(l) => 0xffff_ffff,
        _ => return Flow::Next,
    };
    let mask = (mask << offset) & writable;
    let new = (l.hardware(id) & !mask) | ((value << offset) & mask);
    match id {
        hw::MODE => return set_mode(l, new),
        hw::STATUS if mask & 1 == 1 => l.set_scc((new & 1).ne(0)),
        _ => {}
    }
    l.set_hardware(id, new);
    match id {
        hw::TRAPSTS => traps::status_written(l),
        _ => Flow::Next,
    }
}

/// s_setvskip: MODE.vskip = S0[S1[4:0]].
pub(crate) fn set_vskip<'a>(l: &Lift<'a>, on: Int<'a>) -> Flow {
    let mode = l.hardware(hw::MODE) & !u64::from(VSKIP);
    set_mode(l, mode | (on << u64::from(VSKIP.trailing_zeros())))
}

/// s_set_gpr_idx_on: M0[7:0] = S0[7:0]; M0[15:12] = the S1 field;
/// MODE.gpr_idx_en = 1.
pub(crate) fn gpr_index_on<'a>(l: &Lift<'a>, index: Int<'a>, enables: u8) -> Flow {
    let m0 = (l.m0() & !0xf0ff) | (index & 0xff) | u64::from(enables & 0xf) << 12;
    l.b.write(Reg::S(M0), m0.v, None);
    set_mode(l, l.hardware(hw::MODE) | u64::from(GPR_IDX_EN))
}

/// s_cbranch_g_fork and s_cbranch_i_fork: if the lanes diverge, pushes the mask and address of the larger part and continues with
/// the smaller.
pub(crate) fn fork<'a>(l: &Lift<'a>, condition: Int<'a>, target: Int<'a>) -> Flow {
    let exec = l.exec();
    let next = Int::const64(l.b, l.next());
    let (pass, fail) = (condition & exec, !condition & exec);
    let (all_pass, all_fail) = (pass.eq(exec), fail.eq(exec));
    let split = !(all_pass | all_fail);
    let fail_first = fail.count_ones().lt_u(pass.count_ones());

    let mode = l.hardware(hw::MODE);
    let slot = (mode >> u64::from(CSP)) << 2;
    let saved_mask = fail_first.select(pass, fail);
    let saved_pc = fail_first.select(target, next);
    let words = [
        saved_mask.low(),
        saved_mask.high(),
        saved_pc.low(),
        saved_pc.high(),
    ];
    for (n, word) in (0..).zip(words) {
        let old = Int::i32(l.b, l.b.read_indexed_s(n, slot.v));
        l.b.write_indexed_s(n, slot.v, split.select(word, old).v);
    }
    let csp = split.as_int() << u64::from(CSP);
    l.set_hardware(hw::MODE, mode + csp);

    let chosen = fail_first.select(fail, pass);
    l.set_exec(split.select(chosen, exec));
    let smaller = fail_first.select(next, target);
    let pc = all_pass.select(target, all_fail.select(next, smaller));
    jump(pc)
}

/// s_cbranch_join: the first arrival pops the other part of the fork, the second continues.
pub(crate) fn join<'a>(l: &Lift<'a>, saved_csp: Int<'a>) -> Flow {
    let mode = l.hardware(hw::MODE);
    let done = (mode >> u64::from(CSP)).eq(saved_csp);
    let popped = mode - (1 << CSP);
    let slot = (popped >> u64::from(CSP)) << 2;
    let word = |n| Int::i32(l.b, l.b.read_indexed_s(n, slot.v));
    let (mask, pc) = (word(0).pack(word(1)), word(2).pack(word(3)));
    l.set_hardware(hw::MODE, done.select(mode, popped));
    l.b.write(Reg::S64(EXEC), done.select(l.exec(), mask).v, None);
    jump(done.select(Int::const64(l.b, l.next()), pc))
}
