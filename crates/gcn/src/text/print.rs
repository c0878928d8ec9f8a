//! The printer of LLVM 19's canonical text.

use std::fmt::{self, Result, Write};

use super::line::Line;
use super::operand::{agpr, decimal, hex, inline, literal, sgpr, signed, signed_hex, vgpr};
use super::print_modifier::modifiers;
use super::printed::{BY_WIDTH, Printed, Printing};
use super::symbolic;
use crate::form::Form;
use crate::generation::Chip;
use crate::inst::{Inst, Operand};
use crate::modifiers::{is_mix, source_bit};
use crate::tables::{Field, Kind, Op, OperandSpec, Ty, Vop2};

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> Result {
        print(self, f)
    }
}

/// Writes the canonical text of an instruction, without a line end.
///
/// The canonical text has no word for [`Flags::NV`](crate::Flags::NV).
///
/// # Errors
///
/// Errors of the writer; a `String` has none.
///
/// ```
/// use wavetank_gcn::{Chip, decode, print};
/// let inst = decode(&[0x70, 0x0f, 0x8c, 0xbf], Chip::Gfx900)?;
/// let mut line = String::new();
/// print(&inst, &mut line)?;
/// assert_eq!(line, "s_waitcnt vmcnt(0)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn print(inst: &Inst, out: &mut impl Write) -> Result {
    let printing = Printing::of(inst.chip);
    let mut line = Line::new();
    match printing.get(inst) {
        Some(printed) => whole(inst, printing, printed, &mut line)?,
        // Instructions that the chip does not have are printed all the same.
        None => whole(inst, printing, &Printed::new(inst), &mut line)?,
    }
    out.write_str(line.as_str())
}

#[inline]
fn whole(inst: &Inst, printing: &Printing, printed: &Printed, line: &mut Line) -> Result {
    line.piece(&printed.head);
    operands(inst, printing, printed, line)?;
    modifiers(inst, printed.sources, line)
}

/// Writes the operands after the mnemonic.
#[inline]
fn operands(inst: &Inst, printing: &Printing, printed: &Printed, line: &mut Line) -> Result {
    let none = line.len();
    let mods = &inst.mods;
    // The sources within modifiers, and whether the spelling matters.
    let within = mods.neg | mods.abs | mods.sext;
    let plain = inst.spelling.floats == 0;
    for i in 0..usize::from(printed.count) {
        let operand = inst.operands[i];
        let table = match printed.names[i] {
            BY_WIDTH => inst.dwords(i),
            table => table,
        };
        let plain = plain && within & printed.source_bits[i] == 0;
        match printing.name(table, operand).filter(|_| plain) {
            Some(name) => line.piece(name),
            None => spelled(inst, i, line)?,
        }
    }
    // The separator after the last operand is removed.
    let separator = if line.len() > none { 2 } else { 1 };
    line.shorten(line.len().saturating_sub(separator));
    Ok(())
}

/// Writes an operand that has no entry in a table, and the comma after it.
#[inline(never)]
fn spelled(inst: &Inst, i: usize, line: &mut Line) -> Result {
    let spec = &inst.row().operands[i];
    let operand = inst.operands[i];
    let absent = operand == Operand::None && spec.field != Field::Soffset;
    let default = spec.kind == Kind::OptionalCount && operand == Operand::Imm(0);
    if absent || default {
        return Ok(());
    }
    source(inst, i, spec, line)?;
    let is_target = spec.field == Field::Target;
    line.push(if is_target { " " } else { ", " });
    Ok(())
}

/// Writes an operand with the modifiers around it.
fn source(inst: &Inst, i: usize, spec: &OperandSpec, out: &mut impl Write) -> Result {
    let bit = source_bit(spec.field);
    let packed = inst.form == Form::Vop3p && !is_mix(inst.op);
    if bit == 0 || packed || matches!(inst.form, Form::Mai | Form::MaiScaled) {
        return operand(inst, i, spec, out);
    }
    let mods = &inst.mods;
    let [neg, abs, sext] = [mods.neg, mods.abs, mods.sext].map(|mask| mask & bit != 0);
    // neg(1) and -1 are different numbers.
    let is_number = matches!(inst.operands[i], Operand::Inline(128..=208 | 240..=248));
    let (open, close) = match (neg, abs, sext) {
        (true, true, _) => ("-|", "|"),
        (true, false, _) if is_number => ("neg(", ")"),
        (true, false, _) => ("-", ""),
        (false, true, _) => ("|", "|"),
        (false, false, true) => ("sext(", ")"),
        (false, false, false) => ("", ""),
    };
    out.write_str(open)?;
    operand(inst, i, spec, out)?;
    out.write_str(close)
}

/// Writes an operand without modifiers.
fn operand(inst: &Inst, i: usize, spec: &OperandSpec, out: &mut impl Write) -> Result {
    let generation = inst.chip.generation();
    match inst.operands[i] {
        Operand::Sgpr(code) => sgpr(out, code, inst.dwords(i), generation),
        Operand::Vgpr(number) => vgpr(out, number, inst.dwords(i)),
        Operand::Agpr(number) => agpr(out, number, inst.dwords(i)),
        // LLVM writes the exponent of v_ldexp_f16 as 32 bits.
        Operand::Inline(code) if inst.op == Op::Vop2(Vop2::V_LDEXP_F16) => match spec.ty {
            Ty::I16 => inline(out, code, Ty::I32),
            ty => inline(out, code, ty),
        },
        // A 16-bit integer that was written as a float is printed as a float.
        Operand::Inline(code) if inst.spelling.floats >> i & 1 != 0 && spec.ty.dwords() == 1 => {
            inline(out, code, Ty::F32)
        }
        Operand::Inline(code) => inline(out, code, spec.ty),
        Operand::Literal(value) if spec.kind == Kind::Literal && inst.form == Form::Vop2 => {
            hex(out, value)
        }
        // An offset beyond 8 bits (SMRD of gfx7).
        Operand::Literal(value) if inst.form == Form::Smem => hex(out, value),
        Operand::Literal(value) if inst.chip == Chip::Gfx950 => {
            let mut text = String::new();
            literal(&mut text, value, spec.ty, generation)?;
            if text.starts_with("0x") {
                out.write_str(&text)
            } else {
                // LLVM marks literals that have an inline form from this chip on.
                out.write_str("lit(")?;
                hex(out, value)?;
                out.write_char(')')
            }
        }
        Operand::Literal(value) => literal(out, value, spec.ty, generation),
        Operand::Off => out.write_str("off"),
        Operand::Imm(value) => immediate(out, value, spec.kind, inst.chip),
        // The scalar offset of SMEM is the immediate one.
        Operand::None => signed_hex(out, inst.mods.offset),
    }
}

/// Writes a number of the instruction, in the notation of its kind.
fn immediate(out: &mut impl Write, value: i32, kind: Kind, chip: Chip) -> Result {
    let (word, generation) = (value as u16, chip.generation());
    match kind {
        Kind::Count | Kind::Probe if word > 64 => hex(out, word.into()),
        Kind::Count | Kind::Probe | Kind::OptionalCount | Kind::Target => decimal(out, word.into()),
        Kind::Hwreg => symbolic::hwreg(out, word, chip),
        Kind::Waitcnt => symbolic::waitcnt(out, word, generation),
        Kind::Sendmsg => symbolic::sendmsg(out, word, generation),
        Kind::GprIdx => symbolic::gpr_idx(out, word),
        Kind::Attr => symbolic::attr(out, value as u32),
        Kind::Param => symbolic::param(out, value as u32),
        Kind::ExportTarget => symbolic::export_target(out, value as u32),
        Kind::Simm16 => hex(out, word.into()),
        Kind::Source
        | Kind::Vgpr
        | Kind::Agpr
        | Kind::Vector
        | Kind::Accumulator
        | Kind::Sgpr
        | Kind::Scalar
        | Kind::Literal => signed(out, value),
    }
}
