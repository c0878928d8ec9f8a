//! [`Inst`] to LLVM 19's canonical text.

use std::fmt::{self, Result, Write};

use super::names::{DST_UNUSED, SDWA_SELS};
use super::operand::{decimal, hex, inline, literal, sgpr, signed, vgpr};
use super::symbolic;
use crate::generation::{Chip, Generation};
use crate::inst::{Form, Inst, Operand, flag};
use crate::modifiers::source_bit;
use crate::tables::{Ds, Field, Kind, Op, OperandSpec, Row, Ty, Vop2, Vop3p, feature};

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> Result {
        print(self, f)
    }
}

/// Writes the canonical text of an instruction, without a line end.
///
/// The canonical text has no word for [`flag::NV`].
///
/// # Errors
///
/// Those of the writer; a `String` has none.
///
/// ```
/// use wavetank_isa::{Chip, decode, print};
/// let inst = decode(&[0x70, 0x0f, 0x8c, 0xbf], Chip::Gfx900)?;
/// let mut line = String::new();
/// print(&inst, &mut line)?;
/// assert_eq!(line, "s_waitcnt vmcnt(0)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn print(inst: &Inst, out: &mut impl Write) -> Result {
    let row = inst.row();
    mnemonic(inst, row, out)?;
    let mut separator = " ";
    for (i, spec) in row.operands.iter().enumerate() {
        let operand = inst.operands[i];
        let absent = operand == Operand::None && spec.field != Field::Soffset;
        let default = spec.kind == Kind::OptionalCount && operand == Operand::Imm(0);
        if absent || default {
            continue;
        }
        out.write_str(separator)?;
        source(inst, i, spec, out)?;
        separator = if spec.field == Field::Target {
            " "
        } else {
            ", "
        };
    }
    modifiers(inst, out)
}

/// The mnemonic with the segment and suffix of the form.
fn mnemonic(inst: &Inst, row: &Row, out: &mut impl Write) -> Result {
    let name = row.mnemonic(inst.chip.generation()).unwrap_or("unknown");
    match inst.form {
        Form::Global | Form::Scratch => {
            let segment = if inst.form == Form::Global {
                "global"
            } else {
                "scratch"
            };
            out.write_str(segment)?;
            out.write_str(name.strip_prefix("flat").unwrap_or(name))
        }
        _ => {
            out.write_str(name)?;
            out.write_str(suffix(inst, row))
        }
    }
}

/// The suffix that tells the forms of an instruction apart.
fn suffix(inst: &Inst, row: &Row) -> &'static str {
    let vector = matches!(
        inst.form,
        Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Vop3 | Form::Sdwa | Form::Dpp | Form::Vintrp
    );
    if !vector || row.has(feature::NO_SUFFIX) {
        return "";
    }
    let long = inst.op.vop3(inst.chip).is_some();
    let short = match inst.op {
        Op::Vop1(_) | Op::Vop2(_) | Op::Vopc(_) | Op::Vintrp(_) => true,
        op => op.vop2(inst.chip).is_some(),
    };
    match inst.form {
        Form::Sdwa if matches!(inst.op, Op::Vopc(_)) && inst.chip < Chip::Gfx900 => "",
        Form::Sdwa => "_sdwa",
        Form::Dpp => "_dpp",
        Form::Vop3 if short => "_e64",
        Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Vintrp if long => "_e32",
        _ => "",
    }
}

/// An operand with the modifiers that are written around it.
fn source(inst: &Inst, i: usize, spec: &OperandSpec, out: &mut impl Write) -> Result {
    let bit = source_bit(spec.field);
    if bit == 0 || inst.form == Form::Vop3p && !is_mix(inst.op) {
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

/// An operand.
fn operand(inst: &Inst, i: usize, spec: &OperandSpec, out: &mut impl Write) -> Result {
    let generation = inst.chip.generation();
    match inst.operands[i] {
        Operand::Sgpr(code) => sgpr(out, code, inst.dwords(i), generation),
        Operand::Vgpr(number) => vgpr(out, number, inst.dwords(i)),
        // LLVM writes the exponent of v_ldexp_f16 as 32 bits.
        Operand::Inline(code) if inst.op == Op::Vop2(Vop2::V_LDEXP_F16) => match spec.ty {
            Ty::I16 => inline(out, code, Ty::I32),
            ty => inline(out, code, ty),
        },
        // A 16-bit integer that was written as a float is printed as one.
        Operand::Inline(code) if inst.spelling.floats >> i & 1 != 0 && spec.ty.dwords() == 1 => {
            inline(out, code, Ty::F32)
        }
        Operand::Inline(code) => inline(out, code, spec.ty),
        Operand::Literal(value) if spec.kind == Kind::Literal && inst.form == Form::Vop2 => {
            hex(out, value)
        }
        Operand::Literal(value) => literal(out, value, spec.ty, generation),
        Operand::Off => out.write_str("off"),
        Operand::Imm(value) => immediate(out, value, spec.kind, generation),
        // The scalar offset of SMEM is the immediate one.
        Operand::None => signed_hex(out, inst.mods.offset),
    }
}

/// A number of the instruction, in the notation of its kind.
fn immediate(out: &mut impl Write, value: i32, kind: Kind, generation: Generation) -> Result {
    let word = value as u16;
    match kind {
        Kind::Count | Kind::Probe if word > 64 => hex(out, word.into()),
        Kind::Count | Kind::Probe | Kind::OptionalCount | Kind::Target => decimal(out, word.into()),
        Kind::Hwreg => symbolic::hwreg(out, word, generation),
        Kind::Waitcnt => symbolic::waitcnt(out, word, generation),
        Kind::Sendmsg => symbolic::sendmsg(out, word, generation),
        Kind::GprIdx => symbolic::gpr_idx(out, word),
        Kind::Attr => symbolic::attr(out, value as u32),
        Kind::Param => symbolic::param(out, value as u32),
        Kind::ExportTarget => symbolic::export_target(out, value as u32),
        Kind::Simm16 => hex(out, word.into()),
        Kind::Source | Kind::Vgpr | Kind::Sgpr | Kind::Scalar | Kind::Literal => signed(out, value),
    }
}

fn signed_hex(out: &mut impl Write, value: i32) -> Result {
    if value < 0 {
        out.write_char('-')?;
    }
    hex(out, value.unsigned_abs())
}

/// Everything after the operands.
fn modifiers(inst: &Inst, out: &mut impl Write) -> Result {
    match inst.form {
        Form::Vop3 => vop3(inst, out),
        Form::Vop3p => vop3p(inst, out),
        Form::Sdwa => sdwa(inst, out),
        Form::Dpp => dpp(inst, out),
        Form::Smem => smem(inst, out),
        Form::Ds => ds(inst, out),
        Form::Mubuf | Form::Mtbuf => buffer(inst, out),
        Form::Mimg => image(inst, out),
        Form::Flat | Form::Global | Form::Scratch => flat(inst, out),
        Form::Exp => words(
            inst,
            out,
            &[
                (flag::DONE, " done"),
                (flag::COMPR, " compr"),
                (flag::VM, " vm"),
            ],
        ),
        _ => Ok(()),
    }
}

/// The words of those flags that are set.
fn words(inst: &Inst, out: &mut impl Write, table: &[(u32, &str)]) -> Result {
    for (flag, word) in table {
        if inst.has(*flag) {
            out.write_str(word)?;
        }
    }
    Ok(())
}

/// A decimal offset, unless it is zero.
fn offset(out: &mut impl Write, word: &str, value: i32) -> Result {
    if value == 0 {
        return Ok(());
    }
    out.write_str(word)?;
    signed(out, value)
}

fn clamp_and_omod(inst: &Inst, out: &mut impl Write) -> Result {
    words(inst, out, &[(flag::CLAMP, " clamp")])?;
    out.write_str(["", " mul:2", " mul:4", " div:2"][usize::from(inst.mods.omod & 3)])
}

/// A list of bits, one a source: ` op_sel:[1,0]`.
fn bits(out: &mut impl Write, word: &str, mask: u8, count: u8) -> Result {
    out.write_str(word)?;
    symbolic::list(out, (0..count).map(|n| mask >> n & 1))
}

/// The number of sources.
fn sources(inst: &Inst) -> u8 {
    inst.row()
        .operands
        .iter()
        .filter(|s| source_bit(s.field) != 0)
        .count() as u8
}

fn vop3(inst: &Inst, out: &mut impl Write) -> Result {
    let count = sources(inst);
    let op_sel = inst.mods.op_sel;
    if op_sel != 0 {
        // The bit of the destination follows those of the sources.
        let in_order = op_sel & 7 | (op_sel >> 3 & 1) << count;
        bits(out, " op_sel:", in_order, count + 1)?;
    }
    words(inst, out, &[(flag::HIGH, " high")])?;
    clamp_and_omod(inst, out)
}

/// Mixed-precision instructions: op_sel_hi says that a source is half
/// precision, so none is the default; their neg_hi is an absolute value.
pub(super) fn is_mix(op: Op) -> bool {
    use Vop3p::*;
    matches!(
        op,
        Op::Vop3p(
            V_MAD_MIX_F32
                | V_MAD_MIXLO_F16
                | V_MAD_MIXHI_F16
                | V_FMA_MIX_F32
                | V_FMA_MIXLO_F16
                | V_FMA_MIXHI_F16
        )
    )
}

fn vop3p(inst: &Inst, out: &mut impl Write) -> Result {
    let count = sources(inst);
    let mods = &inst.mods;
    let mix = is_mix(inst.op);
    let default_hi = if mix { 0 } else { (1 << count) - 1 };
    let lists = [
        (" op_sel:", mods.op_sel, 0),
        (" op_sel_hi:", mods.op_sel_hi, default_hi),
        (" neg_lo:", if mix { 0 } else { mods.neg }, 0),
        (" neg_hi:", if mix { 0 } else { mods.abs }, 0),
    ];
    for (word, mask, default) in lists {
        if mask != default {
            bits(out, word, mask, count)?;
        }
    }
    words(inst, out, &[(flag::CLAMP, " clamp")])
}

fn sdwa(inst: &Inst, out: &mut impl Write) -> Result {
    let count = sources(inst);
    let mods = &inst.mods;
    if count == 0 {
        return Ok(());
    }
    clamp_and_omod(inst, out)?;
    let sel = |out: &mut dyn Write, word: &str, sel: u8| {
        out.write_str(word)?;
        out.write_str(
            SDWA_SELS
                .get(usize::from(sel))
                .map_or("RESERVED", |(name, _)| name),
        )
    };
    if !matches!(inst.op, Op::Vopc(_)) {
        sel(out, " dst_sel:", mods.dst_sel as u8)?;
        out.write_str(" dst_unused:")?;
        let unused = DST_UNUSED.get(mods.dst_unused as usize);
        out.write_str(unused.map_or("UNUSED_RESERVED", |(name, _)| name))?;
    }
    sel(out, " src0_sel:", mods.src_sel[0] as u8)?;
    if count > 1 {
        sel(out, " src1_sel:", mods.src_sel[1] as u8)?;
    }
    Ok(())
}

fn dpp(inst: &Inst, out: &mut impl Write) -> Result {
    symbolic::dpp_ctrl(out, inst.mods.dpp_ctrl)?;
    out.write_str(" row_mask:")?;
    hex(out, inst.mods.row_mask.into())?;
    out.write_str(" bank_mask:")?;
    hex(out, inst.mods.bank_mask.into())?;
    words(inst, out, &[(flag::BOUND_CTRL, " bound_ctrl:1")])
}

fn smem(inst: &Inst, out: &mut impl Write) -> Result {
    if inst.has(flag::SMEM_SOFFSET) && inst.has(flag::SMEM_IMM) {
        out.write_str(" offset:")?;
        signed_hex(out, inst.mods.offset)?;
    }
    words(inst, out, &[(flag::GLC, " glc")])
}

fn ds(inst: &Inst, out: &mut impl Write) -> Result {
    let mods = &inst.mods;
    if inst.row().has(feature::TWO_OFFSETS) {
        offset(out, " offset0:", mods.offset)?;
        offset(out, " offset1:", mods.offset1.into())?;
    } else if inst.op == Op::Ds(Ds::DS_SWIZZLE_B32) && mods.offset != 0 {
        out.write_str(" offset:")?;
        symbolic::swizzle(out, mods.offset as u16)?;
    } else {
        offset(out, " offset:", mods.offset)?;
    }
    words(inst, out, &[(flag::GDS, " gds")])
}

fn buffer(inst: &Inst, out: &mut impl Write) -> Result {
    if inst.form == Form::Mtbuf {
        symbolic::format(out, inst.mods.dfmt, inst.mods.nfmt, inst.chip.generation())?;
    }
    let address = [
        (flag::IDXEN, " idxen"),
        (flag::OFFEN, " offen"),
        (flag::ADDR64, " addr64"),
    ];
    words(inst, out, &address)?;
    offset(out, " offset:", inst.mods.offset)?;
    let lds = [(flag::LDS, " lds")];
    let always_lds = inst.row().has(feature::LDS_ONLY);
    if always_lds {
        words(inst, out, &lds)?;
    }
    words(
        inst,
        out,
        &[
            (flag::GLC, " glc"),
            (flag::SLC, " slc"),
            (flag::TFE, " tfe"),
        ],
    )?;
    if always_lds {
        Ok(())
    } else {
        words(inst, out, &lds)
    }
}

fn image(inst: &Inst, out: &mut impl Write) -> Result {
    if inst.mods.dmask != 0 {
        out.write_str(" dmask:")?;
        hex(out, inst.mods.dmask.into())?;
    }
    let table = [
        (flag::UNORM, " unorm"),
        (flag::GLC, " glc"),
        (flag::SLC, " slc"),
        (flag::R128, " r128"),
        (flag::A16, " a16"),
        (flag::TFE, " tfe"),
        (flag::LWE, " lwe"),
        (flag::DA, " da"),
        (flag::D16, " d16"),
    ];
    words(inst, out, &table)
}

fn flat(inst: &Inst, out: &mut impl Write) -> Result {
    offset(out, " offset:", inst.mods.offset)?;
    let table = [
        (flag::GLC, " glc"),
        (flag::SLC, " slc"),
        (flag::TFE, " tfe"),
        (flag::LDS, " lds"),
    ];
    words(inst, out, &table)
}
