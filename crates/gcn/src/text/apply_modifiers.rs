//! Storing of parsed modifiers in an instruction, with one function for each form.

use super::failure::{Failure, fail};
use super::lex::Location;
use super::parse_operand::{Written, with_sign};
use super::shared_modifiers::present;
use crate::decode::is_float_atomic;
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{DstUnused, Flags, Inst, Operand, SdwaSel};
use crate::modifiers::{is_mix, source_bit};
use crate::tables::{Features, Field, Kind, Op, OperandSpec, Ty, Vop3};

/// Stores modifiers in an instruction of a form. `present` has the bits of [`present`]; `address` has the offset and the flags
/// that the operands of scalar memory gave. Errors are located at `at`.
pub(super) fn apply(
    inst: &mut Inst,
    present: u32,
    address: (i32, Flags),
    written: &[Written],
    at: &Location,
) -> Result<(), Failure> {
    let row = inst.row();
    if inst.chip == Chip::Gfx90a && is_float_atomic(row) {
        // LLVM takes the bit, and does not encode it.
        inst.mods.flags -= Flags::SCC;
    }
    // Signs are checked first and constants replaced last. An instruction without operands has neither.
    let constants = signs(inst, written, at)?;
    let alone = row.operands.is_empty() && !row.has(Features::GDS_ONLY | Features::CACHES);
    if alone && (present != 0 || !inst.mods.flags.is_empty()) {
        return fail(at, "the instruction takes no modifiers");
    }
    for (field, operand) in constants {
        inst.set(field, operand);
    }
    match inst.form {
        Form::Vop3 => vop3(inst, present, at),
        Form::Vop3p => vop3p(inst, present, at),
        Form::Sdwa => sdwa(inst, present, at),
        Form::Dpp if present & present::DPP_CTRL == 0 => {
            fail(at, "expected a DPP control, such as quad_perm:[0,1,2,3]")
        }
        Form::Smem => smem(inst, present, address, at),
        Form::Exp => {
            exp(inst);
            Ok(())
        }
        Form::Ds => ds(inst, present, at),
        Form::Mubuf if row.has(Features::LDS_ONLY) && !inst.has(Flags::LDS) => {
            fail(at, "the instruction works on LDS: write `lds` after it")
        }
        _ => Ok(()),
    }
}

/// Returns the bits of a row's sources.
fn sources(inst: &Inst) -> u8 {
    let specs = inst.row().operands.iter();
    specs.fold(0, |bits, spec| bits | source_bit(spec.field))
}

/// Sets neg, abs and sext of the sources. Forms without these modifiers take constants with the sign changed, which are returned.
fn signs(
    inst: &mut Inst,
    written: &[Written],
    at: &Location,
) -> Result<Vec<(Field, Operand)>, Failure> {
    let mut constants = Vec::new();
    for (spec, w) in inst.row().operands.iter().zip(written) {
        let bit = source_bit(spec.field);
        let around = w.neg || w.abs || w.sext;
        let takes = bit != 0
            && match inst.form {
                Form::Vop3 | Form::Dpp => !w.sext,
                Form::Sdwa => true,
                Form::Vop3p => is_mix(inst.op) && !w.sext,
                _ => false,
            };
        if around && !takes {
            let Some(operand) = short_constant(inst, spec, w) else {
                return fail(at, "this form takes no neg, abs or sext");
            };
            constants.push((spec.field, operand));
            continue;
        }
        inst.mods.neg |= if w.neg { bit } else { 0 };
        inst.mods.abs |= if w.abs { bit } else { 0 };
        inst.mods.sext |= if w.sext { bit } else { 0 };
    }
    Ok(constants)
}

fn check_omod(inst: &Inst, present: u32, at: &Location) -> Result<(), Failure> {
    if present & present::OMOD != 0 && !takes_omod(inst) {
        return fail(at, "the result of this instruction is not scaled");
    }
    Ok(())
}

/// Sets op_sel, whose values are those of the sources, then that of the result, which is bit 3.
fn vop3(inst: &mut Inst, present: u32, at: &Location) -> Result<(), Failure> {
    check_omod(inst, present, at)?;
    let scales = matches!(
        inst.op,
        Op::Vop3(Vop3::V_DIV_SCALE_F32 | Vop3::V_DIV_SCALE_F64)
    );
    if scales && inst.chip.generation() < Generation::Gfx8 {
        // LLVM takes the bit, which this form does not have there.
        inst.mods.flags -= Flags::CLAMP;
    }
    if present & present::NO_CLAMP != 0 && !inst.row().has(Features::CLAMP) {
        return fail(at, "the result of this instruction is not clamped");
    }
    if present & present::OP_SEL != 0 && !takes_op_sel(inst) {
        return fail(at, "this instruction takes no op_sel");
    }
    if present & present::BITOP3 != 0 && !inst.row().has(Features::BITOP3) {
        return fail(at, "this instruction has no truth table");
    }
    if present & (present::FI | present::DPP) != 0 && !inst.row().has(Features::FETCHES_INACTIVE) {
        return fail(
            at,
            "this form of the instruction takes no `fi` and no `bound_ctrl`",
        );
    }
    if inst.row().has(Features::OP_SEL_BYTE) {
        return Ok(());
    }
    let count = sources(inst).count_ones();
    let op_sel = inst.mods.op_sel;
    if op_sel >> (count + 1) != 0 {
        return fail(
            at,
            format_args!("op_sel has at most {} values here", count + 1),
        );
    }
    let dst = op_sel >> count & 1;
    inst.mods.op_sel = op_sel & ((1 << count) - 1) | dst << 3;
    Ok(())
}

/// Sets op_sel_hi. By default, packed instructions take the upper halves for their upper results, and mixed ones take whole
/// floats.
fn vop3p(inst: &mut Inst, present: u32, at: &Location) -> Result<(), Failure> {
    if present & present::NEG_LO_HI != 0 && is_mix(inst.op) {
        return fail(at, "write the signs around the sources");
    }
    if inst.chip.is_cdna() {
        // LLVM takes values for sources that are not there.
        inst.mods.op_sel &= sources(inst);
        inst.mods.op_sel_hi &= sources(inst);
    }
    if inst.chip >= Chip::Gfx942 && selects_for_dot(inst, present) {
        return fail(at, "this instruction takes whole registers");
    }
    if present & present::OP_SEL_HI == 0 {
        inst.mods.op_sel_hi = if is_mix(inst.op) { 0 } else { sources(inst) };
    }
    Ok(())
}

/// Returns whether halves are selected for a dot product: from gfx942 on, none are (LLVM, `validateOpSel`), and products of bytes
/// have no op_sel.
fn selects_for_dot(inst: &Inst, present: u32) -> bool {
    let row = inst.row();
    let is_dot = row
        .name(inst.chip)
        .is_some_and(|name| name.starts_with("v_dot"));
    let bytes = row.operands.get(1).is_some_and(|s| s.ty == Ty::B32);
    let selects = present & present::OP_SEL_HI != 0 || inst.mods.op_sel != 0;
    is_dot && (selects || bytes && present & present::OP_SEL != 0)
}

fn sdwa(inst: &mut Inst, present: u32, at: &Location) -> Result<(), Failure> {
    check_omod(inst, present, at)?;
    let compares = matches!(inst.op, Op::Vopc(_));
    if compares && present & (present::DST_SEL | present::DST_UNUSED) != 0 {
        return fail(at, "a comparison writes a whole mask");
    }
    sdwa_defaults(inst, present, sources(inst));
    Ok(())
}

/// Sets the offset of scalar memory, which is an operand or, on gfx9 beside a register, a modifier.
fn smem(
    inst: &mut Inst,
    present: u32,
    address: (i32, Flags),
    at: &Location,
) -> Result<(), Failure> {
    let (offset, flags) = address;
    let register = !flags.contains(Flags::SMEM_IMM);
    match (present & present::OFFSET != 0, register) {
        (false, _) => inst.mods.offset = offset,
        (true, true) if inst.chip.generation() == Generation::Gfx9 => {
            inst.mods.flags |= Flags::SMEM_IMM | Flags::SMEM_SOFFSET;
        }
        (true, _) => return fail(at, "the offset stands here twice"),
    }
    inst.mods.flags |= flags;
    Ok(())
}

/// Sets the mask of an export, which names the registers that are not `off`.
fn exp(inst: &mut Inst) {
    if inst.has(Flags::COMPR) {
        // With COMPR, two registers hold the pairs: the first and the third.
        inst.operands[2] = inst.operands[1];
        inst.operands[4] = inst.operands[3];
    }
    let exports = (1..5).filter(|i| matches!(inst.operands[*i], Operand::Vgpr(_)));
    inst.mods.dmask = exports.fold(0, |mask, i| mask | 1 << (i - 1));
}

fn ds(inst: &Inst, present: u32, at: &Location) -> Result<(), Failure> {
    let row = inst.row();
    if row.has(Features::GDS_ONLY) && !inst.has(Flags::GDS) {
        return fail(at, "the instruction works on GDS: write `gds` after it");
    }
    let (other, word) = if row.has(Features::TWO_OFFSETS) {
        (present::OFFSET, "offset0 and offset1")
    } else {
        (present::OFFSET01, "offset")
    };
    if present & other != 0 {
        return fail(at, format_args!("the instruction takes {word}"));
    }
    Ok(())
}

/// Returns whether the result can be scaled; SDWA scales only floats.
fn takes_omod(inst: &Inst) -> bool {
    let row = inst.row();
    let float = |s: &OperandSpec| s.field == Field::Vdst && s.ty.is_float();
    row.has(Features::OMOD) && (inst.form != Form::Sdwa || row.operands.iter().any(float))
}

/// Returns whether a VOP3 instruction takes op_sel.
fn takes_op_sel(inst: &Inst) -> bool {
    crate::modifiers::takes_op_sel(inst.row(), inst.chip)
}

/// Returns a constant with its sign changed, for a short form, which has no bit to request that from the hardware.
fn short_constant(inst: &Inst, spec: &OperandSpec, w: &Written) -> Option<Operand> {
    let short = matches!(inst.form, Form::Vop1 | Form::Vop2 | Form::Vopc)
        && inst.row().operands.iter().all(|s| s.kind != Kind::Literal);
    let float = inst.row().takes_neg(spec);
    let constant =
        matches!(w.operand, Operand::Inline(128..=208 | 240..=248) | Operand::Literal(_));
    let long = inst.form == Form::Vop3 && !float;
    match (short || long) && constant && spec.kind == Kind::Source {
        // A double is distinguished from an integer by its notation.
        true if float && !w.sext && (w.float || spec.ty.dwords() == 1) => {
            with_sign(w.operand, spec.ty, (w.neg, w.abs), inst.chip.generation())
        }
        true if !float && w.sext && inst.op.sdwa(inst.chip) => Some(w.operand),
        _ => None,
    }
}

/// Sets the defaults that LLVM writes for missing SDWA selections.
fn sdwa_defaults(inst: &mut Inst, present: u32, sources: u8) {
    let compare = matches!(inst.op, Op::Vopc(_));
    if sources == 0 {
        return;
    }
    let whole = inst.row().has(Features::WHOLE_DST);
    if present & present::DST_UNUSED == 0 && !compare && !whole {
        inst.mods.dst_unused = DstUnused::Preserve;
    }
    if compare && present & present::DST_SEL == 0 && inst.chip.generation() == Generation::Gfx8 {
        inst.mods.dst_sel = SdwaSel::Byte0;
    }
}
