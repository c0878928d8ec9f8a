//! The printer of CLRX's syntax: [`Inst`] to text that its parser reads back to the same bytes.

use std::fmt::{Result, Write};

use super::super::names::{DEFAULT_DFMT, DEFAULT_NFMT, DPP_AMOUNTS, DPP_PLAIN, INLINE_FLOATS};
use super::super::names::{INV_2PI_F64, SPECIAL_SOURCES};
use super::super::operand::{agpr, decimal, hex, sgpr, signed, vgpr};
use super::super::symbolic;
use super::names::{self, DATA_FORMATS, HWREGS, MESSAGE_OPS, MESSAGES, NUMBER_FORMATS};
use super::parse::order;
use crate::form::Form;
use crate::generation::Generation;
use crate::inst::{Flags, Inst, Operand};
use crate::modifiers::{is_mix, source_bit};
use crate::tables::{Features, Field, Kind, Op, OperandSpec, Ty};
use crate::waitcnt::WaitCounter;

/// Writes an instruction at an address of the code.
pub(in crate::text) fn print(inst: &Inst, address: u64, out: &mut impl Write) -> Result {
    mnemonic(inst, out)?;
    let mut separator = " ";
    for i in order(inst.op, inst.form) {
        let spec = &inst.row().operands[i];
        let operand = inst.operands[i];
        let absent = operand == Operand::None && spec.field != Field::Soffset;
        let default = spec.kind == Kind::OptionalCount && operand == Operand::Imm(0);
        if absent || default {
            continue;
        }
        out.write_str(separator)?;
        source(inst, i, spec, address, out)?;
        separator = ", ";
    }
    modifiers(inst, out)
}

fn mnemonic(inst: &Inst, out: &mut impl Write) -> Result {
    let generation = inst.chip.generation();
    let llvm = inst.row().mnemonic(generation).unwrap_or("unknown");
    let flat = llvm.strip_prefix("flat");
    match (inst.form, flat) {
        (Form::Global, Some(rest)) => write!(out, "global{rest}"),
        (Form::Scratch, Some(rest)) => write!(out, "scratch{rest}"),
        _ => names::mnemonic(llvm, generation)
            .0
            .iter()
            .try_for_each(|piece| out.write_str(piece)),
    }
}

/// Writes an operand with the modifiers around it.
fn source(inst: &Inst, i: usize, spec: &OperandSpec, address: u64, out: &mut impl Write) -> Result {
    let bit = source_bit(spec.field);
    let packed = inst.form == Form::Vop3p && !is_mix(inst.op);
    if bit == 0 || packed || matches!(inst.form, Form::Mai | Form::MaiScaled) {
        return operand(inst, i, spec, address, out);
    }
    let mods = &inst.mods;
    let [neg, abs, sext] = [mods.neg, mods.abs, mods.sext].map(|mask| mask & bit != 0);
    // neg(1) and -1 are different numbers.
    let number = matches!(
        inst.operands[i],
        Operand::Inline(128..=208 | 240..=248) | Operand::Literal(_)
    );
    let mut close = [""; 3];
    if sext {
        out.write_str("sext(")?;
        close[2] = ")";
    }
    match (neg, number && !abs) {
        (true, true) => {
            out.write_str("neg(")?;
            close[1] = ")";
        }
        (true, false) => out.write_str("-")?,
        (false, _) => {}
    }
    if abs {
        out.write_str("abs(")?;
        close[0] = ")";
    }
    operand(inst, i, spec, address, out)?;
    close.iter().try_for_each(|c| out.write_str(c))
}

/// Writes an operand without modifiers.
fn operand(
    inst: &Inst,
    i: usize,
    spec: &OperandSpec,
    address: u64,
    out: &mut impl Write,
) -> Result {
    let generation = inst.chip.generation();
    match inst.operands[i] {
        Operand::Sgpr(code) => {
            let short = spec.field == Field::Srsrc && inst.has(Flags::R128);
            let count = if short { 4 } else { inst.dwords(i) };
            sgpr(out, code, count, generation)
        }
        Operand::Vgpr(number) => vgpr(out, number, inst.dwords(i)),
        Operand::Agpr(number) => agpr(out, number, inst.dwords(i)),
        Operand::Inline(code) => inline(out, code, spec.ty, generation),
        Operand::Literal(value) if spec.kind == Kind::Literal => hex(out, value),
        Operand::Literal(value) => literal(inst, spec, value, out),
        Operand::Off => out.write_str("off"),
        Operand::Imm(value) => immediate(inst, value, spec.kind, address, out),
        // The scalar offset of SMEM is the immediate one.
        Operand::None => signed_hex(out, inst.mods.offset.into()),
    }
}

/// Writes a literal; a value with an inline form is marked as a literal.
fn literal(inst: &Inst, spec: &OperandSpec, value: u32, out: &mut impl Write) -> Result {
    let smem = inst.form == Form::Smem && spec.field == Field::Soffset;
    let small = if smem { value <= 255 } else { value <= 64 };
    if !small {
        return hex(out, value);
    }
    out.write_str("lit(")?;
    hex(out, value)?;
    out.write_char(')')
}

/// Writes an inline constant or special source by its code.
fn inline(out: &mut impl Write, code: u8, ty: Ty, generation: Generation) -> Result {
    match code {
        128..=192 => return decimal(out, (code - 128).into()),
        193..=208 => return signed(out, 192 - i32::from(code)),
        248 if generation < Generation::Gfx8 => return out.write_str("ill_248"),
        248 if ty == Ty::F64 => return out.write_str(INV_2PI_F64),
        254 => return out.write_str("lds"),
        _ => {}
    }
    if let Some(float) = INLINE_FLOATS.iter().find(|f| f.code == code) {
        return out.write_str(float.text);
    }
    match SPECIAL_SOURCES.iter().find(|(c, _)| *c == code) {
        Some((_, name)) => out.write_str(name.strip_prefix("src_").unwrap_or(name)),
        None => write!(out, "ill_{code}"),
    }
}

/// Writes a number of the instruction, in the notation of its kind.
fn immediate(inst: &Inst, value: i32, kind: Kind, address: u64, out: &mut impl Write) -> Result {
    let generation = inst.chip.generation();
    let word = value as u16;
    match kind {
        Kind::Target => {
            let next = address.wrapping_add(4) as i64;
            signed_hex(out, next.wrapping_add(4 * i64::from(value)))
        }
        Kind::Hwreg => hwreg(out, word, generation),
        Kind::Waitcnt => waitcnt(out, word, generation),
        Kind::Sendmsg => sendmsg(out, word, generation),
        Kind::Attr => symbolic::attr(out, value as u32),
        Kind::Param if value > 2 => write!(out, "invalid_{value}"),
        Kind::Param => symbolic::param(out, value as u32),
        Kind::ExportTarget if matches!(value, 10 | 11 | 16..32) => write!(out, "invalid_{value}"),
        Kind::ExportTarget => symbolic::export_target(out, value as u32),
        _ => hex(out, word.into()),
    }
}

fn signed_hex(out: &mut impl Write, value: i64) -> Result {
    if value < 0 {
        out.write_char('-')?;
    }
    match u32::try_from(value.unsigned_abs()) {
        Ok(value) => hex(out, value),
        Err(_) => write!(out, "{:#x}", value.unsigned_abs()),
    }
}

/// Writes a hardware register with offset and size of the field.
fn hwreg(out: &mut impl Write, imm: u16, generation: Generation) -> Result {
    let [id, offset, size] = [imm & 63, imm >> 6 & 31, (imm >> 11) + 1];
    let name = HWREGS
        .iter()
        .find(|(code, _, since)| u16::from(*code) == id && *since <= generation);
    match name {
        Some((_, name, _)) => write!(out, "hwreg({name}, {offset}, {size})"),
        None => write!(out, "hwreg({id}, {offset}, {size})"),
    }
}

/// Writes the counters to wait for, or a number if other bits are set, or no counter is.
fn waitcnt(out: &mut impl Write, imm: u16, generation: Generation) -> Result {
    let counters = WaitCounter::all(generation);
    let waited = |counter: &&WaitCounter| counter.get(imm) != counter.max();
    let bits = counters
        .iter()
        .fold(0, |bits, counter| bits | counter.bits());
    if !counters.iter().any(|counter| waited(&counter)) || imm & !bits != 0 {
        return hex(out, imm.into());
    }
    for (n, counter) in counters.iter().filter(waited).enumerate() {
        let separator = if n == 0 { "" } else { " & " };
        write!(out, "{separator}{}({})", counter.name, counter.get(imm))?;
    }
    Ok(())
}

/// Writes a message, or a number if other bits are set.
fn sendmsg(out: &mut impl Write, imm: u16, generation: Generation) -> Result {
    let [id, op, stream] = [imm & 15, imm >> 4 & 7, imm >> 8 & 3];
    if imm & !0x37f != 0 {
        return hex(out, imm.into());
    }
    let name = MESSAGES
        .iter()
        .find(|(code, _, since)| u16::from(*code) == id && *since <= generation);
    match name {
        Some((_, name, _)) => write!(out, "sendmsg({name}")?,
        None => write!(out, "sendmsg({id}")?,
    }
    if op != 0 || stream != 0 || matches!(id, 2 | 3) {
        match MESSAGE_OPS.get(usize::from(op)) {
            Some(name) => write!(out, ", {name}, {stream}")?,
            None => write!(out, ", {op}, {stream}")?,
        }
    }
    out.write_char(')')
}

/// Writes the modifiers after the operands.
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
                (Flags::DONE, " done"),
                (Flags::COMPR, " compr"),
                (Flags::VM, " vm"),
            ],
        ),
        _ => Ok(()),
    }
}

/// Writes the words of the flags that are set.
fn words(inst: &Inst, out: &mut impl Write, table: &[(Flags, &str)]) -> Result {
    table
        .iter()
        .filter(|(flag, _)| inst.has(*flag))
        .try_for_each(|(_, word)| out.write_str(word))
}

/// Writes a decimal offset, unless it is zero.
fn offset(out: &mut impl Write, word: &str, value: i32) -> Result {
    if value == 0 {
        return Ok(());
    }
    out.write_str(word)?;
    signed(out, value)
}

fn omod_and_clamp(inst: &Inst, out: &mut impl Write) -> Result {
    out.write_str(["", " mul:2", " mul:4", " div:2"][usize::from(inst.mods.omod & 3)])?;
    words(inst, out, &[(Flags::CLAMP, " clamp")])
}

/// Writes a list of bits, one for each source: ` op_sel:[1,0]`.
fn bits(out: &mut impl Write, word: &str, mask: u8, count: u8) -> Result {
    out.write_str(word)?;
    symbolic::list(out, (0..count).map(|n| mask >> n & 1))
}

/// Returns the sources of the instruction: bit n is source n.
fn sources(inst: &Inst) -> u8 {
    let specs = inst.row().operands;
    specs.iter().fold(0, |mask, s| mask | source_bit(s.field))
}

fn vop3(inst: &Inst, out: &mut impl Write) -> Result {
    let count = sources(inst).count_ones() as u8;
    let op_sel = inst.mods.op_sel;
    if op_sel != 0 {
        // The bit of the destination follows those of the sources.
        let in_order = op_sel & 7 | (op_sel >> 3 & 1) << count;
        bits(out, " op_sel:", in_order, count + 1)?;
    }
    words(inst, out, &[(Flags::HIGH, " high")])?;
    omod_and_clamp(inst, out)?;
    if is_short(inst) {
        out.write_str(" vop3")?;
    }
    Ok(())
}

/// Returns whether the text would be read as a shorter encoding.
fn is_short(inst: &Inst) -> bool {
    let has_short = match inst.op {
        Op::Vop1(_) | Op::Vop2(_) | Op::Vopc(_) | Op::Vintrp(_) => true,
        op => op.vop2(inst.chip).is_some(),
    };
    let mods = &inst.mods;
    let plain = mods.neg | mods.abs | mods.omod | mods.op_sel == 0 && mods.flags.is_empty();
    let fits = |(spec, operand): (&OperandSpec, &Operand)| match spec.field {
        Field::Sdst | Field::CarryIn => *operand == Operand::Sgpr(106),
        Field::Src1 if !matches!(spec.kind, Kind::Scalar) => matches!(operand, Operand::Vgpr(_)),
        _ => true,
    };
    let mut operands = inst.row().operands.iter().zip(&inst.operands);
    has_short && plain && operands.all(fits)
}

fn vop3p(inst: &Inst, out: &mut impl Write) -> Result {
    let mask = sources(inst);
    let mods = &inst.mods;
    let mix = is_mix(inst.op);
    let lists = [
        (" op_sel:", mods.op_sel, 0),
        (" op_sel_hi:", mods.op_sel_hi, mask),
        (" neg_lo:", if mix { 0 } else { mods.neg }, 0),
        (" neg_hi:", if mix { 0 } else { mods.abs }, 0),
    ];
    for (word, value, default) in lists {
        if value != default {
            bits(out, word, value, mask.count_ones() as u8)?;
        }
    }
    words(inst, out, &[(Flags::CLAMP, " clamp")])
}

fn sdwa(inst: &Inst, out: &mut impl Write) -> Result {
    omod_and_clamp(inst, out)?;
    let mods = &inst.mods;
    let mut written = mods.sext != 0;
    let sels = [
        (" dst_sel:", mods.dst_sel),
        (" src0_sel:", mods.src_sel[0]),
        (" src1_sel:", mods.src_sel[1]),
    ];
    for (n, (word, sel)) in sels.into_iter().enumerate() {
        if sel != Default::default() {
            out.write_str(word)?;
            out.write_str(names::SELS[sel as usize].0)?;
            written = true;
        }
        if n == 0 && mods.dst_unused != Default::default() {
            out.write_str(" dst_unused:")?;
            out.write_str(names::UNUSED[mods.dst_unused as usize].0)?;
            written = true;
        }
    }
    if written {
        Ok(())
    } else {
        out.write_str(" sdwa")
    }
}

fn dpp(inst: &Inst, out: &mut impl Write) -> Result {
    dpp_control(out, inst.mods.dpp_ctrl)?;
    words(inst, out, &[(Flags::BOUND_CTRL, " bound_ctrl")])?;
    for (word, mask) in [
        (" bank_mask:", inst.mods.bank_mask),
        (" row_mask:", inst.mods.row_mask),
    ] {
        if mask != 15 {
            out.write_str(word)?;
            decimal(out, mask.into())?;
        }
    }
    Ok(())
}

fn dpp_control(out: &mut impl Write, code: u16) -> Result {
    if code < 0x100 {
        out.write_str(" quad_perm:")?;
        return symbolic::list(out, (0..4).map(|lane| (code >> (2 * lane) & 3) as u8));
    }
    if let Some((_, name)) = DPP_PLAIN.iter().find(|(c, _)| *c == code) {
        return write!(out, " {name}");
    }
    for (base, name, amounts) in &DPP_AMOUNTS {
        let amount = code.wrapping_sub(*base);
        if !amounts.contains(&amount) {
            continue;
        }
        return match *name {
            "row_bcast" => write!(out, " row_bcast{amount}"),
            // Moves of the whole wave are by one lane.
            wave if wave.starts_with("wave") => write!(out, " {wave}"),
            row => write!(out, " {row}:{amount}"),
        };
    }
    out.write_str(" dppctrl:")?;
    hex(out, code.into())
}

fn smem(inst: &Inst, out: &mut impl Write) -> Result {
    words(inst, out, &[(Flags::GLC, " glc"), (Flags::NV, " nv")])?;
    if inst.has(Flags::SMEM_SOFFSET) && inst.has(Flags::SMEM_IMM) {
        out.write_str(" offset:")?;
        signed_hex(out, inst.mods.offset.into())?;
    }
    Ok(())
}

fn ds(inst: &Inst, out: &mut impl Write) -> Result {
    let mods = &inst.mods;
    if inst.row().has(Features::TWO_OFFSETS) {
        offset(out, " offset0:", mods.offset)?;
        offset(out, " offset1:", mods.offset1.into())?;
    } else {
        offset(out, " offset:", mods.offset)?;
    }
    words(inst, out, &[(Flags::GDS, " gds")])
}

fn buffer(inst: &Inst, out: &mut impl Write) -> Result {
    let address = [(Flags::OFFEN, " offen"), (Flags::IDXEN, " idxen")];
    words(inst, out, &address)?;
    offset(out, " offset:", inst.mods.offset)?;
    let others = [
        (Flags::GLC, " glc"),
        (Flags::SLC, " slc"),
        (Flags::SCC, " scc"),
        (Flags::ADDR64, " addr64"),
        (Flags::LDS, " lds"),
        (Flags::TFE, " tfe"),
    ];
    words(inst, out, &others)?;
    let (dfmt, nfmt) = (inst.mods.dfmt, inst.mods.nfmt);
    let data = (dfmt != DEFAULT_DFMT).then(|| DATA_FORMATS[usize::from(dfmt & 15)]);
    let number = (nfmt != DEFAULT_NFMT).then(|| NUMBER_FORMATS[usize::from(nfmt & 7)]);
    match (data, number) {
        _ if inst.form != Form::Mtbuf => Ok(()),
        (Some(data), Some(number)) => write!(out, " format:[{data},{number}]"),
        (Some(name), None) | (None, Some(name)) => write!(out, " format:[{name}]"),
        (None, None) => Ok(()),
    }
}

fn image(inst: &Inst, out: &mut impl Write) -> Result {
    if inst.mods.dmask != 1 {
        out.write_str(" dmask:")?;
        decimal(out, inst.mods.dmask.into())?;
    }
    let table = [
        (Flags::UNORM, " unorm"),
        (Flags::GLC, " glc"),
        (Flags::SLC, " slc"),
        (Flags::SCC, " scc"),
        (Flags::R128, " r128"),
        (Flags::A16, " a16"),
        (Flags::TFE, " tfe"),
        (Flags::LWE, " lwe"),
        (Flags::DA, " da"),
        (Flags::D16, " d16"),
    ];
    words(inst, out, &table)
}

fn flat(inst: &Inst, out: &mut impl Write) -> Result {
    offset(out, " inst_offset:", inst.mods.offset)?;
    let table = [
        (Flags::GLC, " glc"),
        (Flags::SLC, " slc"),
        (Flags::SCC, " scc"),
        (Flags::LDS, " lds"),
        (Flags::TFE, " tfe"),
        (Flags::NV, " nv"),
    ];
    words(inst, out, &table)
}
