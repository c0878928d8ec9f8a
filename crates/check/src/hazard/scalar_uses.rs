//! The uses of scalar registers, hardware registers and state by second instructions of hazards.

use wavetank_gcn::numbers::{hwreg, sreg};
use wavetank_gcn::tables::{Class, Ds, Features, Kind, Sop1, Sop2, Sopk, Sopp, Vop3};
use wavetank_gcn::{Field, Flags, Form, Inst, Op, Operand};

use super::consumer::Consumer;
use super::matrix::is_of_matrix_unit;
use super::producer::HwregPart;
use super::valu::{reads_lane, swaps_rows};
use super::vcc::VccAlias;
use super::vector_uses;
use crate::code::Node;

impl Consumer {
    /// Whether an instruction uses the register of this number in this way.
    pub(super) fn is(self, node: &Node, number: u16, alias: VccAlias) -> bool {
        let of_vectors = vector_uses::is(self, node, number);
        let small = u8::try_from(number);
        of_vectors
            .unwrap_or_else(|| small.is_ok_and(|number| self.is_scalar_use(node, number, alias)))
    }

    /// Whether an instruction uses a scalar register, a hardware register or state in this way.
    fn is_scalar_use(self, node: &Node, number: u8, alias: VccAlias) -> bool {
        let (inst, class) = (&node.inst, node.inst.row().class);
        match self {
            Consumer::ReadsHwreg => getreg(inst).is_some_and(|part| part.number == number),
            Consumer::WritesHwreg => setreg(inst).is_some_and(|part| part.number == number),
            Consumer::ReadsVskip => getreg(inst).is_some_and(HwregPart::has_vskip),
            Consumer::IsVector => is_vector(class),
            Consumer::ReadsZeroFlag => class == Class::Valu && reads_zero_flag(inst, number),
            Consumer::SelectsLane => {
                selects_lane(inst) && inst.operand(Field::Src1) == Operand::Sgpr(number)
            }
            Consumer::IsDivFmas => {
                let fmas = Op::Vop3(Vop3::V_DIV_FMAS_F32) == inst.op;
                let wide = Op::Vop3(Vop3::V_DIV_FMAS_F64) == inst.op;
                (fmas || wide) && is_half_of(number, sreg::VCC)
            }
            // All of these instructions read EXEC, which is not an SGPR and is interlocked.
            Consumer::ReadsAsVmem => {
                let vmem = matches!(class, Class::Vmem | Class::Flat);
                vmem && !is_half_of(number, sreg::EXEC) && reads_scalar(node, number)
            }
            Consumer::IsMessage => number == sreg::M0 && is_message(inst),
            Consumer::IsDpp => inst.form == Form::Dpp && is_half_of(number, sreg::EXEC),
            Consumer::ReadsVccAlias => {
                let other = alias.other(number);
                class == Class::Valu && other.is_some_and(|other| reads_number(inst, other))
            }
            Consumer::ReturnsFromTrap => {
                let returns = matches!(
                    inst.op,
                    Op::Sop1(Sop1::S_RFE_B64) | Op::Sop2(Sop2::S_RFE_RESTORE_B64)
                );
                returns && number == hwreg::TRAPSTS
            }
            Consumer::IsLdsByM0 => number == sreg::M0 && is_lds_by_m0(inst),
            Consumer::IsMovrel => number == sreg::M0 && is_movrel(inst),
            Consumer::BranchesByVccAlias => {
                let branches = matches!(
                    inst.op,
                    Op::Sopp(Sopp::S_CBRANCH_VCCZ | Sopp::S_CBRANCH_VCCNZ)
                );
                branches && !is_half_of(number, sreg::VCC) && alias.other(number).is_some()
            }
            Consumer::ReadsAsSmem => class == Class::Smem && reads_scalar(node, number),
            Consumer::ReadsAsDescriptor => class == Class::Smem && is_in_descriptor(inst, number),
            Consumer::IsMatrix => is_half_of(number, sreg::EXEC) && is_of_matrix_unit(inst),
            Consumer::ReadsScalar => {
                let reads = class == Class::Valu && reads_scalar(node, number);
                reads && !is_half_of(number, sreg::EXEC)
            }
            Consumer::IsLaneAccess => {
                let accesses = reads_lane(inst) || inst.op == Vop3::V_WRITELANE_B32.into();
                accesses && is_half_of(number, sreg::EXEC)
            }
            Consumer::IsRowSwap => is_half_of(number, sreg::EXEC) && swaps_rows(inst),
            // The uses of vector registers are in their own file.
            _ => false,
        }
    }
}

/// Whether a register is one of the pair that begins with `low`.
fn is_half_of(number: u8, low: u8) -> bool {
    number / 2 == low / 2
}

fn reads_scalar(node: &Node, number: u8) -> bool {
    node.effects.reads.has_scalar(number)
}

/// Returns the hardware register field that `s_getreg` reads.
fn getreg(inst: &Inst) -> Option<HwregPart> {
    let reads = matches!(
        inst.op,
        Op::Sopk(Sopk::S_GETREG_B32 | Sopk::S_GETREG_REGRD_B32)
    );
    HwregPart::of(inst).filter(|_| reads)
}

/// Returns the hardware register field that `s_setreg` writes.
fn setreg(inst: &Inst) -> Option<HwregPart> {
    let writes = matches!(
        inst.op,
        Op::Sopk(Sopk::S_SETREG_B32 | Sopk::S_SETREG_IMM32_B32)
    );
    HwregPart::of(inst).filter(|_| writes)
}

fn is_vector(class: Class) -> bool {
    match class {
        Class::Valu | Class::Vmem | Class::Flat | Class::Lds | Class::Interp | Class::Export => {
            true
        }
        Class::Salu | Class::Branch | Class::Message | Class::Smem => false,
    }
}

/// Whether an operand is VCCZ or EXECZ, for the mask that has this half (Vega ISA, 13.1: 251 and 252).
fn reads_zero_flag(inst: &Inst, half: u8) -> bool {
    inst.operands.iter().any(|operand| match operand {
        Operand::Inline(251) => is_half_of(half, sreg::VCC),
        Operand::Inline(252) => is_half_of(half, sreg::EXEC),
        _ => false,
    })
}

fn selects_lane(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Vop3(Vop3::V_READLANE_B32 | Vop3::V_WRITELANE_B32 | Vop3::V_READLANE_REGRD_B32)
    )
}

fn is_message(inst: &Inst) -> bool {
    let row = inst.row();
    let gds = inst.has(Flags::GDS) || row.has(Features::GDS_ONLY);
    row.class == Class::Message
        || inst.op == Sopp::S_TTRACEDATA.into()
        || row.class == Class::Lds && gds
}

fn is_lds_by_m0(inst: &Inst) -> bool {
    let row = inst.row();
    let by_lane = matches!(
        inst.op,
        Op::Ds(Ds::DS_WRITE_ADDTID_B32 | Ds::DS_READ_ADDTID_B32)
    );
    let to_lds = matches!(row.class, Class::Vmem | Class::Flat)
        && (inst.has(Flags::LDS) || row.has(Features::LDS_ONLY));
    let interpolates = row.operands.iter().any(|spec| spec.kind == Kind::Attr);
    // Vega ISA, 13.1: LDS_DIRECT.
    let direct = inst.operands.contains(&Operand::Inline(254));
    by_lane || to_lds || interpolates || direct
}

fn is_movrel(inst: &Inst) -> bool {
    use Sop1::*;
    matches!(
        inst.op,
        Op::Sop1(S_MOVRELS_B32 | S_MOVRELS_B64 | S_MOVRELD_B32 | S_MOVRELD_B64)
    )
}

/// Whether operand `i` spans a scalar register.
fn spans(inst: &Inst, i: usize, number: u8) -> bool {
    match inst.operands[i] {
        Operand::Sgpr(first) => (first..first.saturating_add(inst.dwords(i))).contains(&number),
        _ => false,
    }
}

/// Whether an instruction reads a scalar register as a number, and not as a carry or mask.
fn reads_number(inst: &Inst, number: u8) -> bool {
    let specs = inst.row().operands.iter().enumerate();
    let mut sources = specs.filter(|(_, spec)| {
        let source = matches!(spec.field, Field::Src0 | Field::Src1 | Field::Src2);
        source && spec.access.reads()
    });
    sources.any(|(i, _)| spans(inst, i, number))
}

/// Whether a scalar register is in the descriptor of a buffer, which has four; the address of a plain load has two.
fn is_in_descriptor(inst: &Inst, number: u8) -> bool {
    let mut specs = inst.row().operands.iter().enumerate();
    specs.any(|(i, spec)| {
        spec.field == Field::Sbase && inst.dwords(i) == 4 && spans(inst, i, number)
    })
}
