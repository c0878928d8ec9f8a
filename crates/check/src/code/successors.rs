//! Successors of an instruction: fall-through, branches and calls.

use wavetank_gcn::tables::{Kind, Sop1, Sop2, Sopk, Sopp};
use wavetank_gcn::{Field, Inst, Op, Operand};

/// The successors of an instruction (Vega ISA, 4.2 and 12.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Successors {
    /// Whether the next instruction may follow.
    pub next: bool,
    /// The target of a branch or jump.
    pub target: Option<u64>,
    /// Whether execution may continue at an address in registers: returns, and computed jumps.
    pub elsewhere: bool,
    /// Whether the instruction calls code that returns to the next one.
    pub calls: bool,
    /// The function that is called, if it is known.
    pub callee: Option<u64>,
}

impl Successors {
    const NEXT: Successors = Successors {
        next: true,
        target: None,
        elsewhere: false,
        calls: false,
        callee: None,
    };
    const END: Successors = Successors {
        next: false,
        ..Successors::NEXT
    };
    const ELSEWHERE: Successors = Successors {
        elsewhere: true,
        ..Successors::END
    };
    const CALL: Successors = Successors {
        calls: true,
        ..Successors::NEXT
    };

    /// Returns the successors of an instruction at an address.
    pub fn of(inst: &Inst, address: u64) -> Successors {
        match inst.op {
            Op::Sopp(Sopp::S_ENDPGM | Sopp::S_ENDPGM_SAVED | Sopp::S_ENDPGM_ORDERED_PS_DONE) => {
                Successors::END
            }
            // The handler of this trap ends the wave (LLVM, "AMDGPU", trap handler ABI).
            Op::Sopp(Sopp::S_TRAP) if inst.operand(Field::Simm16) == Operand::Imm(2) => {
                Successors::END
            }
            Op::Sopp(Sopp::S_BRANCH) => Successors {
                target: target(inst, address),
                ..Successors::END
            },
            Op::Sop1(Sop1::S_SWAPPC_B64) => Successors::CALL,
            Op::Sopk(Sopk::S_CALL_B64) => Successors {
                callee: target(inst, address),
                ..Successors::CALL
            },
            Op::Sop1(Sop1::S_SETPC_B64 | Sop1::S_RFE_B64) | Op::Sop2(Sop2::S_RFE_RESTORE_B64) => {
                Successors::ELSEWHERE
            }
            Op::Sop1(Sop1::S_CBRANCH_JOIN) | Op::Sop2(Sop2::S_CBRANCH_G_FORK) => Successors {
                elsewhere: true,
                ..Successors::NEXT
            },
            Op::Sopp(_) | Op::Sopk(_) => Successors {
                target: target(inst, address),
                ..Successors::NEXT
            },
            _ => Successors::NEXT,
        }
    }
}

/// Returns the target of a branch, given by a signed distance in dwords from the next instruction.
fn target(inst: &Inst, address: u64) -> Option<u64> {
    let last = inst.row().operands.last()?;
    match inst.operand(Field::Simm16) {
        Operand::Imm(words) if last.kind == Kind::Target => {
            let distance = 4 * i64::from(words as i16);
            Some(address.wrapping_add(4).wrapping_add_signed(distance))
        }
        _ => None,
    }
}

/// Returns the target of a computed jump or call, if the straight code before it computes the target from the PC (`s_getpc_b64`,
/// `s_add_u32`, `s_addc_u32`). Compilers do so for code beyond the range of 16 bits.
pub(super) fn computed(before: &[(u64, Inst)], jump: &Inst) -> Option<u64> {
    let Operand::Sgpr(to) = jump.operand(Field::Src0) else {
        return None;
    };
    // The index of the last instruction that wrote the register.
    let last_write = |end: usize, sgpr: u8| {
        let writes = |(_, inst): &(u64, Inst)| inst.effects().writes.scalars().any(|n| n == sgpr);
        before[..end].iter().rposition(writes)
    };
    let added = |at: usize, op: Op, sgpr: u8| {
        let inst = &before[at].1;
        let own = inst.op == op && inst.operand(Field::Src0) == Operand::Sgpr(sgpr);
        constant(inst.operand(Field::Src1)).filter(|_| own)
    };
    let high_at = last_write(before.len(), to + 1)?;
    let high = added(high_at, Sop2::S_ADDC_U32.into(), to + 1)?;
    let low_at = last_write(before.len(), to)?;
    let low = added(low_at, Sop2::S_ADD_U32.into(), to)?;
    let getpc_at = last_write(low_at, to)?;
    let (pc, getpc) = before[getpc_at];
    let both = last_write(high_at, to + 1) == Some(getpc_at) && low_at < high_at;
    let distance = u64::from(high) << 32 | u64::from(low);
    let is_getpc = getpc.op == Sop1::S_GETPC_B64.into();
    (both && is_getpc).then(|| (pc + 4).wrapping_add(distance))
}

/// Returns the value of a constant among scalar operands (Vega ISA, 5.2).
pub(crate) fn constant(operand: Operand) -> Option<u32> {
    match operand {
        Operand::Literal(value) => Some(value),
        Operand::Inline(code @ 128..=192) => Some(u32::from(code) - 128),
        Operand::Inline(code @ 193..=208) => Some((192 - i32::from(code)) as u32),
        _ => None,
    }
}
