//! Text to [`Inst`], driven by the rows of the table.
//!
//! A mnemonic names a few rows and forms. They are tried from the shortest
//! encoding on; the first that takes every operand and modifier, and can be
//! encoded, is the instruction.

use std::ops::Range;

use wavetank_quote::brief;

use super::failure::{Failure, ParseError, fail};
use super::help;
use super::legal;
use super::lex::{Lexer, Located, Spot, Token};
use super::mnemonic::{Candidate, Mnemonics};
use super::modifier_words::given;
use super::parse_modifier::modifiers;
use super::parse_operand::{Written, constant, expect, source, with_sign};
use super::parse_symbolic::{immediate, number};
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{DstUnused, Flags, Inst, MAX_OPERANDS, Mods, Operand, SdwaSel, Spelling};
use crate::modifiers::{is_mix, source_bit};
use crate::tables::{Access, Class, Features, Field, Kind, Op, OperandSpec, Ty};
use crate::{EncodeError, decode, encode};

/// Parses one instruction for a chip, in LLVM's syntax.
///
/// # Errors
///
/// A [`ParseError`] with the place of the wrong token.
///
/// ```
/// use wavetank_isa::{Chip, encode, parse};
/// let inst = parse("v_add_f32 v0, 1.0, v1", Chip::Gfx900)?;
/// assert_eq!(inst.to_string(), "v_add_f32_e32 v0, 1.0, v1");
/// assert_eq!(encode(&inst)?.as_bytes(), [0xf2, 0x02, 0x00, 0x02]);
///
/// let error = parse("v_add_f23 v0, 1.0, v1", Chip::Gfx900).unwrap_err();
/// assert_eq!(error.span, 0..9);
/// assert_eq!(error.help.as_deref(), Some("did you mean `v_add_f32`?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(text: &str, chip: Chip) -> Result<Inst, ParseError> {
    let start = Lexer::new(text);
    let mut lex = start;
    let Token::Word(word) = lex.next() else {
        return Err(*fail::<()>(&start, "expected a mnemonic").unwrap_err());
    };
    let candidates = Mnemonics::of(chip).candidates(word);
    if let Some(inst) = first_that_suits(lex, candidates, chip) {
        return Ok(inst);
    }
    let failure = furthest(lex, candidates, word, chip);
    let failure = match failure {
        Some(failure) => help::explained(*failure, text, word, candidates, chip),
        None => help::unknown(text, word, start.span(), chip),
    };
    // Words of the line stand in it.
    Err(ParseError {
        message: brief(&failure.message),
        help: failure.help.as_deref().map(brief),
        ..failure
    })
}

/// As [`parse`], without the reason why a line is not an instruction.
pub(super) fn parse_quietly(text: &str, chip: Chip) -> Option<Inst> {
    let mut lex = Lexer::new(text);
    let Token::Word(word) = lex.next() else {
        return None;
    };
    first_that_suits(lex, Mnemonics::of(chip).candidates(word), chip)
}

/// The operands behind a mnemonic as those of the first candidate that has such.
fn first_that_suits(mut lex: Lexer<'_>, candidates: &[Candidate], chip: Chip) -> Option<Inst> {
    lex.quiet = true;
    let mut tries = candidates.iter();
    tries.find_map(|&(op, form)| attempt(lex, op, form, chip).ok())
}

/// Why no candidate suits a line: the failure of the one that came furthest.
fn furthest(lex: Lexer<'_>, candidates: &[Candidate], word: &str, chip: Chip) -> Option<Failure> {
    let spelled = word.ends_with("_sdwa") || word.ends_with("_dpp");
    let mut best: Option<Failure> = None;
    for &(op, form) in candidates {
        let Err(failure) = attempt(lex, op, form, chip) else {
            continue;
        };
        // What is wrong with the plain forms says more.
        let lesser = matches!(form, Form::Sdwa | Form::Dpp) && !spelled;
        let better = |b: &Failure| !lesser && failure.span.start > b.span.start;
        if best.as_ref().is_none_or(better) {
            best = Some(failure);
        }
    }
    best
}

/// Tries to read the rest of a line as operands and modifiers of a form.
fn attempt(mut lex: Lexer<'_>, op: Op, form: Form, chip: Chip) -> Result<Inst, Failure> {
    let start = lex.spot();
    let mut inst = Inst {
        op,
        chip,
        form,
        len: 0,
        operands: [Operand::None; MAX_OPERANDS],
        mods: Mods::default(),
        spelling: Spelling::default(),
    };
    let mut written = [Written::NOTHING; MAX_OPERANDS];
    let mut places = [const { 0..0 }; MAX_OPERANDS];
    let words = Words::of(lex, &inst);
    let mut is_first = true;
    for (i, spec) in op.row().operands.iter().enumerate() {
        if is_left_out(&inst, spec, words) {
            continue;
        }
        if spec.kind == Kind::OptionalCount && lex.peek() == Token::End {
            inst.operands[i] = Operand::Imm(0);
            continue;
        }
        if form == Form::Smem && spec.field == Field::Soffset && lex.peek() != Token::Mark(b',') {
            // An offset that is left out is 0.
            inst.mods.flags |= Flags::SMEM_IMM;
            continue;
        }
        if !is_first && !lex.mark(b',') && op.row().operands[0].field != Field::Target {
            return fail(&lex, "expected `,` and another operand");
        }
        is_first = false;
        let first = lex.spot();
        written[i] = operand(&mut lex, &mut inst, spec)?;
        places[i] = lex.since(&first).span();
        inst.operands[i] = written[i].operand;
    }
    let modifiers_at = lex.spot();
    let address = (inst.mods.offset, inst.mods.flags);
    let given = modifiers(&mut lex, form, chip.generation(), &mut inst.mods)?;
    apply(&mut inst, given, address, &written, &modifiers_at)?;
    check_widths(&inst, &written, &places)?;
    legal::check(&inst, &places)?;
    let mut inst = finish(inst, &start, &modifiers_at, &places)?;
    inst.spelling = spelling(&inst, &written);
    Ok(inst)
}

/// What the bytes do not tell of how the operands were written.
pub(super) fn spelling(inst: &Inst, written: &[Written]) -> Spelling {
    let mut spelling = Spelling::default();
    for (i, (spec, w)) in inst.row().operands.iter().zip(written).enumerate() {
        if w.float {
            spelling.floats |= 1 << i;
        }
        if inst.form == Form::Mimg && spec.field == Field::Vaddr {
            spelling.addresses = w.registers;
        }
    }
    spelling
}

/// Words that decide which operands there are.
#[derive(Clone, Copy)]
struct Words {
    glc: bool,
    lds: bool,
}

impl Words {
    /// Those of the rest of a line, where the instruction asks for them.
    fn of(mut lex: Lexer<'_>, inst: &Inst) -> Words {
        let mut words = Words {
            glc: false,
            lds: false,
        };
        let mut operands = inst.row().operands.iter();
        let asks = matches!(inst.form, Form::Mubuf | Form::Mtbuf)
            || loads_to_lds(inst)
            || operands.any(|s| s.access == Access::WriteIfGlc);
        while asks && lex.peek() != Token::End {
            match lex.next() {
                Token::Word("glc") => words.glc = true,
                Token::Word("lds") => words.lds = true,
                _ => {}
            }
        }
        words
    }
}

/// Operands that the text leaves out.
fn is_left_out(inst: &Inst, spec: &OperandSpec, words: Words) -> bool {
    match (inst.form, spec.field) {
        (Form::Flat, Field::Saddr) => true,
        (Form::Mubuf | Form::Mtbuf, Field::Vdata) => {
            words.lds && !inst.row().has(Features::LDS_ONLY) && spec.access == Access::Write
        }
        (_, Field::Vdst) if loads_to_lds(inst) && words.lds => true,
        _ => spec.access == Access::WriteIfGlc && !words.glc,
    }
}

/// Whether the instruction can load to LDS, past its vector registers.
fn loads_to_lds(inst: &Inst) -> bool {
    matches!(inst.form, Form::Flat | Form::Global | Form::Scratch) && inst.row().has(Features::LDS)
}

/// Parses one operand by its specification.
#[inline]
fn operand(lex: &mut Lexer<'_>, inst: &mut Inst, spec: &OperandSpec) -> Result<Written, Failure> {
    let generation = inst.chip.generation();
    let plain = |operand| Written {
        operand,
        ..Written::NOTHING
    };
    match spec.kind {
        Kind::Source | Kind::Vgpr | Kind::Sgpr | Kind::Scalar => {
            if inst.form == Form::Smem && spec.field == Field::Soffset {
                return smem_offset(lex, inst);
            }
            let start = lex.spot();
            // The sources of the mixed operations take constants of 16 bits.
            let ty = if is_mix(inst.op) && spec.ty == Ty::F32 {
                Ty::F16
            } else {
                spec.ty
            };
            let w = source(lex, ty, generation)?;
            let vector = matches!(w.operand, Operand::Vgpr(_));
            if w.operand == LDS_DIRECT && !takes_lds_direct(inst, spec) {
                return fail(&start, "lds_direct cannot stand here");
            }
            if is_interp(inst) && source_bit(spec.field) != 0 && !vector {
                return fail(&start, "interpolation reads vector registers alone");
            }
            match (spec.kind, w.operand) {
                (Kind::Vgpr, Operand::Vgpr(_) | Operand::Off) => Ok(w),
                (Kind::Vgpr, _) if source_bit(spec.field) == 0 => {
                    fail(&start, "expected a vector register")
                }
                (Kind::Sgpr | Kind::Scalar, _) if vector => {
                    fail(&start, "expected a scalar register")
                }
                (Kind::Scalar, Operand::Literal(_)) if is_lane(inst, spec) => {
                    fail(&start, "the number of a lane is no literal")
                }
                (Kind::Source, o) if spec.ty == Ty::B128 && !vector && o != Operand::Off => {
                    fail(&start, "expected vector registers")
                }
                _ => Ok(w),
            }
        }
        Kind::Literal => literal(lex, spec).map(plain),
        // Kept sign-extended, though the comparison has no sign.
        Kind::Simm16 if compares_unsigned(inst) => {
            number(lex, 0, 0xffff).map(|n| plain(Operand::Imm(i32::from(n as u16 as i16))))
        }
        kind => immediate(lex, kind, generation).map(|n| plain(Operand::Imm(n))),
    }
}

/// Whether an operand is the number of a lane.
fn is_lane(inst: &Inst, spec: &OperandSpec) -> bool {
    inst.row().class == Class::Valu && spec.field == Field::Src1
}

/// Whether a SOPK compares with a constant that has no sign.
fn compares_unsigned(inst: &Inst) -> bool {
    let compared = inst.row().operands.first();
    inst.form == Form::Sopk && compared.is_some_and(|s| s.ty == Ty::U32)
}

/// The source that reads LDS at M0.
const LDS_DIRECT: Operand = Operand::Inline(254);

/// The first source of a vector operation of 32 bits can be LDS, unless the
/// operation takes its sources in reverse.
fn takes_lds_direct(inst: &Inst, spec: &OperandSpec) -> bool {
    let row = inst.row();
    let name = row.mnemonic(inst.chip.generation()).unwrap_or_default();
    let lanes = name == "v_writelane_b32" && inst.chip >= Chip::Gfx900;
    row.class == Class::Valu
        && inst.form != Form::Sdwa
        && spec.field == Field::Src0
        && spec.ty.dwords() == 1
        && (!name.contains("rev") || name == "v_bfrev_b32")
        && !lanes
}

/// Interpolation, whose sources are vector registers.
fn is_interp(inst: &Inst) -> bool {
    inst.row().class == Class::Interp
}

/// A literal that is always there, whatever inline form its value has.
fn literal(lex: &mut Lexer<'_>, spec: &OperandSpec) -> Result<Operand, Failure> {
    let mut ahead = *lex;
    if ahead.word("lit") && ahead.mark(b'(') {
        *lex = ahead;
        let operand = literal(lex, spec)?;
        expect(lex, b')', "after the number")?;
        return Ok(operand);
    }
    let mut ahead = *lex;
    if let Some(value) = ahead.integer() {
        let (bits, min, max) = match spec.ty {
            Ty::F16 => (16, -0x8000, 0xffff),
            _ => (32, -0x8000_0000, 0xffff_ffff),
        };
        if !(min..=max).contains(&value) {
            return fail(lex, format_args!("this literal has {bits} bits"));
        }
        *lex = ahead;
        return Ok(Operand::Literal((value & max) as u32));
    }
    let start = lex.spot();
    // Inline floats as the bits of the operand's type.
    let generation = Generation::Gfx9;
    Ok(match constant(lex, spec.ty, generation)? {
        Operand::Inline(code) => {
            match super::names::INLINE_FLOATS.iter().find(|f| f.code == code) {
                Some(f) if spec.ty == Ty::F16 => Operand::Literal(f.f16.into()),
                Some(f) => Operand::Literal(f.f32),
                None if code == 128 => Operand::Literal(0),
                None => return fail(&start, "expected a literal"),
            }
        }
        operand => operand,
    })
}

/// The offset of scalar memory: an immediate, or a register.
fn smem_offset(lex: &mut Lexer<'_>, inst: &mut Inst) -> Result<Written, Failure> {
    let generation = inst.chip.generation();
    let mut ahead = *lex;
    if ahead.integer().is_none() {
        let w = source(lex, Ty::U32, generation)?;
        // `lit(4)` is an immediate, too, and other constants have no place.
        if let Operand::Inline(_) | Operand::Literal(_) = w.operand {
            return fail(&ahead, "expected an offset or a scalar register");
        }
        return Ok(w);
    }
    let start = lex.spot();
    let Some(value) = lex.integer() else {
        return fail(&start, "expected an offset");
    };
    let resource = inst
        .row()
        .operands
        .iter()
        .any(|s| s.field == Field::Sbase && s.ty == Ty::B128);
    let (min, max) = match generation {
        Generation::Gfx6 => (0, 255),
        // A literal where 8 bits do not do.
        Generation::Gfx7 => (0, 0xffff_ffff),
        Generation::Gfx9 if !resource => (-(1 << 20), 0xf_ffff),
        // Offsets into buffers have no sign.
        _ => (0, 0xf_ffff),
    };
    if !(min..=max).contains(&value) {
        let unit = match generation {
            Generation::Gfx6 | Generation::Gfx7 => "dwords",
            Generation::Gfx8 | Generation::Gfx9 => "bytes",
        };
        let place = lex.since(&start);
        return fail(
            &place,
            format_args!("the offset is outside {min} to {max} {unit}"),
        );
    }
    if generation != Generation::Gfx7 || value <= 255 {
        inst.mods.offset = value as i32;
        inst.mods.flags |= Flags::SMEM_IMM;
        return Ok(Written::NOTHING);
    }
    Ok(Written {
        operand: Operand::Literal(value as u32),
        ..Written::NOTHING
    })
}

/// Puts modifiers where they belong in a form. `address` is the offset, and the
/// flags, that the operands of scalar memory had.
fn apply(
    inst: &mut Inst,
    given: u32,
    address: (i32, Flags),
    written: &[Written],
    at: &Spot,
) -> Result<(), Failure> {
    let row = inst.row();
    let mut changed = Vec::new();
    let mut sources = 0;
    for (spec, w) in row.operands.iter().zip(written) {
        let bit = source_bit(spec.field);
        sources |= bit;
        let around = w.neg || w.abs || w.sext;
        let takes = bit != 0
            && match inst.form {
                Form::Vop3 | Form::Dpp => !w.sext,
                Form::Sdwa => true,
                Form::Vop3p => is_mix(inst.op) && !w.sext,
                _ => false,
            };
        if around && !takes {
            let constant = short_constant(inst, spec, w);
            let Some(operand) = constant else {
                return fail(at, "this form takes no neg, abs or sext");
            };
            changed.push((spec.field, operand));
            continue;
        }
        inst.mods.neg |= if w.neg { bit } else { 0 };
        inst.mods.abs |= if w.abs { bit } else { 0 };
        inst.mods.sext |= if w.sext { bit } else { 0 };
    }
    let alone = row.operands.is_empty() && !row.has(Features::GDS_ONLY);
    if alone && (given != 0 || !inst.mods.flags.is_empty()) {
        return fail(at, "the instruction takes no modifiers");
    }
    for (field, operand) in changed {
        inst.set(field, operand);
    }
    let count = sources.count_ones();
    match inst.form {
        Form::Vop3 | Form::Sdwa if given & given::OMOD != 0 && !takes_omod(inst) => {
            return fail(at, "the result of this instruction is not scaled");
        }
        Form::Vop3 if given & given::NO_CLAMP != 0 && !row.has(Features::CLAMP) => {
            return fail(at, "the result of this instruction is not clamped");
        }
        Form::Vop3 if given & given::OP_SEL != 0 && !takes_op_sel(inst) => {
            return fail(at, "this instruction takes no op_sel");
        }
        Form::Vop3p if given & given::NEG_LO_HI != 0 && is_mix(inst.op) => {
            return fail(at, "write the signs around the sources");
        }
        Form::Vop3 => {
            let op_sel = inst.mods.op_sel;
            if op_sel >> (count + 1) != 0 {
                return fail(
                    at,
                    format_args!("op_sel has at most {} values here", count + 1),
                );
            }
            let dst = op_sel >> count & 1;
            inst.mods.op_sel = op_sel & ((1 << count) - 1) | dst << 3;
        }
        Form::Vop3p if given & given::OP_SEL_HI == 0 => {
            inst.mods.op_sel_hi = if is_mix(inst.op) { 0 } else { sources };
        }
        Form::Sdwa
            if matches!(inst.op, Op::Vopc(_))
                && given & (given::DST_SEL | given::DST_UNUSED) != 0 =>
        {
            return fail(at, "a comparison writes a whole mask");
        }
        Form::Sdwa => sdwa_defaults(inst, given, sources),
        Form::Dpp if given & given::DPP_CTRL == 0 => {
            return fail(at, "expected a DPP control, such as quad_perm:[0,1,2,3]");
        }
        Form::Smem => {
            let register = !address.1.contains(Flags::SMEM_IMM);
            match (given & given::OFFSET != 0, register) {
                (false, _) => inst.mods.offset = address.0,
                (true, true) if inst.chip.generation() == Generation::Gfx9 => {
                    inst.mods.flags |= Flags::SMEM_IMM | Flags::SMEM_SOFFSET;
                }
                (true, _) => return fail(at, "the offset stands here twice"),
            }
            inst.mods.flags |= address.1;
        }
        Form::Exp => {
            if inst.has(Flags::COMPR) {
                // Two registers hold the pairs: the first, and the third.
                inst.operands[2] = inst.operands[1];
                inst.operands[4] = inst.operands[3];
            }
            let exports = (1..5).filter(|i| matches!(inst.operands[*i], Operand::Vgpr(_)));
            inst.mods.dmask = exports.fold(0, |mask, i| mask | 1 << (i - 1));
        }
        Form::Ds if row.has(Features::GDS_ONLY) && !inst.has(Flags::GDS) => {
            return fail(at, "the instruction works on GDS: write `gds` after it");
        }
        Form::Ds => {
            let two = row.has(Features::TWO_OFFSETS);
            let other = if two { given::OFFSET } else { given::OFFSET01 };
            if given & other != 0 {
                let word = if two { "offset0 and offset1" } else { "offset" };
                return fail(at, format_args!("the instruction takes {word}"));
            }
        }
        Form::Mubuf if row.has(Features::LDS_ONLY) && !inst.has(Flags::LDS) => {
            return fail(at, "the instruction works on LDS: write `lds` after it");
        }
        _ => {}
    }
    Ok(())
}

/// Whether the result can be scaled; SDWA scales only what is a float.
fn takes_omod(inst: &Inst) -> bool {
    let row = inst.row();
    let float = |s: &OperandSpec| s.field == Field::Vdst && s.ty.is_float();
    row.has(Features::OMOD) && (inst.form != Form::Sdwa || row.operands.iter().any(float))
}

/// Whether op_sel means something to a VOP3.
fn takes_op_sel(inst: &Inst) -> bool {
    inst.row().has(Features::OP_SEL) && inst.chip.generation() == Generation::Gfx9
}

/// A constant with its sign changed, for a short form, which cannot tell the
/// hardware to change it.
fn short_constant(inst: &Inst, spec: &OperandSpec, w: &Written) -> Option<Operand> {
    let short = matches!(inst.form, Form::Vop1 | Form::Vop2 | Form::Vopc)
        && inst.row().operands.iter().all(|s| s.kind != Kind::Literal);
    let float = inst.row().takes_neg(spec);
    let constant =
        matches!(w.operand, Operand::Inline(128..=208 | 240..=248) | Operand::Literal(_));
    let long = inst.form == Form::Vop3 && !float;
    match (short || long) && constant && spec.kind == Kind::Source {
        // A double is told from an integer by its notation.
        true if float && !w.sext && (w.float || spec.ty.dwords() == 1) => {
            with_sign(w.operand, spec.ty, (w.neg, w.abs), inst.chip.generation())
        }
        true if !float && w.sext && inst.op.sdwa(inst.chip) => Some(w.operand),
        _ => None,
    }
}

/// What LLVM writes where SDWA selections are left out.
fn sdwa_defaults(inst: &mut Inst, given: u32, sources: u8) {
    let compare = matches!(inst.op, Op::Vopc(_));
    if sources == 0 {
        return;
    }
    if given & given::DST_UNUSED == 0 && !compare {
        inst.mods.dst_unused = DstUnused::Preserve;
    }
    if compare && given & given::DST_SEL == 0 && inst.chip.generation() == Generation::Gfx8 {
        inst.mods.dst_sel = SdwaSel::Byte0;
    }
}

/// Checks that each operand names as many registers as it has.
pub(super) fn check_widths(
    inst: &Inst,
    written: &[Written],
    places: &[Range<usize>],
) -> Result<(), Failure> {
    for (i, spec) in inst.row().operands.iter().enumerate() {
        let (got, needed) = (written[i].registers, inst.dwords(i));
        let right = match (inst.form, spec.field) {
            _ if got == 0 => true,
            // How many are read depends on the resource.
            // CLRX writes the half of the resource that is there.
            (Form::Mimg, Field::Srsrc) if inst.has(Flags::R128) => matches!(got, 4 | 8),
            (Form::Mimg, Field::Vaddr) => {
                let most = legal::most_addresses(inst);
                got >= needed && (got <= most || got == 8 && most > 4)
            }
            _ => got == needed,
        };
        if !right {
            let message = format!("expected {needed} registers, found {got}");
            return Err(Box::new(ParseError {
                span: places[i].clone(),
                message,
                help: None,
            }));
        }
    }
    Ok(())
}

/// Encodes and reads back: what does not come back as written is not in the
/// encoding.
pub(super) fn finish(
    inst: Inst,
    start: &Spot,
    mods_at: &Spot,
    places: &[Range<usize>],
) -> Result<Inst, Failure> {
    let encoded = match encode(&inst) {
        Ok(encoded) => encoded,
        Err(EncodeError::Operand { field, operand }) => {
            return misplaced(&inst, field, operand, places);
        }
        Err(error) => return fail(start, error),
    };
    match decode(encoded.as_bytes(), inst.chip) {
        Ok(back) if back.mods == inst.mods => Ok(back),
        Ok(_) => fail(mods_at, "a modifier has no place in this instruction"),
        Err(error) => fail(start, error),
    }
}

/// An operand that its field cannot hold.
fn misplaced(
    inst: &Inst,
    field: Field,
    operand: Operand,
    places: &[Range<usize>],
) -> Result<Inst, Failure> {
    let (message, help) = match operand {
        Operand::Literal(value) => (
            format!("the literal {value:#x} has no room in this form"),
            Some("move it to a register first"),
        ),
        Operand::Inline(_) => ("a constant cannot stand here".into(), None),
        Operand::Sgpr(_) => (
            "a scalar register cannot stand here".into(),
            Some("use a vector register"),
        ),
        Operand::Vgpr(_) => (
            "a vector register cannot stand here".into(),
            Some("use a scalar register"),
        ),
        _ => ("the operand cannot stand here".into(), None),
    };
    let specs = inst.row().operands;
    let at = specs
        .iter()
        .position(|s| s.field == field)
        .unwrap_or_default();
    let span = places.get(at).cloned().unwrap_or_default();
    let help = help.map(str::to_owned);
    Err(Box::new(ParseError {
        span,
        message,
        help,
    }))
}
