//! The parser of LLVM's syntax: text to [`Inst`], driven by the rows of the table.
//!
//! A mnemonic stands for a few rows and forms. They are tried from the shortest encoding on; the first that takes every operand
//! and modifier, and can be encoded, is the instruction.

use std::ops::Range;

use wavetank_quote::brief;

use super::apply_modifiers::apply;
use super::failure::{Failure, ParseError, fail};
use super::help;
use super::legal;
use super::lex::{Lexer, Located, Location, Token};
use super::mnemonic::{Candidate, Mnemonics};
use super::parse_modifier::{EarlyFormat, modifiers};
use super::parse_operand::{Written, constant, expect, source};
use super::parse_symbolic::{immediate, number};
use super::shared_modifiers::is_modifier;
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{Flags, Inst, MAX_OPERANDS, Mods, Operand, Spelling};
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
/// use wavetank_gcn::{Chip, encode, parse};
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
    // The message may quote words of a long line.
    Err(ParseError {
        message: brief(&failure.message),
        help: failure.help.as_deref().map(brief),
        ..failure
    })
}

/// Parses as [`parse`] does, without the reason why a line is not an instruction.
pub(super) fn parse_quietly(text: &str, chip: Chip) -> Option<Inst> {
    let mut lex = Lexer::new(text);
    let Token::Word(word) = lex.next() else {
        return None;
    };
    first_that_suits(lex, Mnemonics::of(chip).candidates(word), chip)
}

/// Reads the rest of a line as the first candidate that it suits.
fn first_that_suits(mut lex: Lexer<'_>, candidates: &[Candidate], chip: Chip) -> Option<Inst> {
    lex.quiet = true;
    let mut tries = candidates.iter();
    tries.find_map(|&(op, form)| attempt(lex, op, form, chip).ok())
}

/// Returns the failure of the candidate that was read furthest.
fn furthest(lex: Lexer<'_>, candidates: &[Candidate], word: &str, chip: Chip) -> Option<Failure> {
    let spelled = word.ends_with("_sdwa") || word.ends_with("_dpp");
    let mut best: Option<Failure> = None;
    for &(op, form) in candidates {
        let Err(failure) = attempt(lex, op, form, chip) else {
            continue;
        };
        // Errors of the plain forms are more helpful.
        let lesser = matches!(form, Form::Sdwa | Form::Dpp) && !spelled;
        let better = |b: &Failure| !lesser && failure.span.start > b.span.start;
        if best.as_ref().is_none_or(better) {
            best = Some(failure);
        }
    }
    best
}

/// Reads the rest of a line as operands and modifiers of a form.
fn attempt(mut lex: Lexer<'_>, op: Op, form: Form, chip: Chip) -> Result<Inst, Failure> {
    let start = lex.location();
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
    let mut early = None;
    for (i, spec) in op.row().operands.iter().enumerate() {
        if is_left_out(&inst, spec, words) {
            continue;
        }
        if spec.kind == Kind::OptionalCount && lex.peek() == Token::End {
            inst.operands[i] = Operand::Imm(0);
            continue;
        }
        if form == Form::Smem && spec.field == Field::Soffset && !another_operand(&lex) {
            // A missing offset is 0.
            inst.mods.flags |= Flags::SMEM_IMM;
            continue;
        }
        if form == Form::Mtbuf && spec.field == Field::Soffset {
            early = EarlyFormat::parse(&mut lex)?;
        }
        // Commas between operands are optional, as in LLVM's assembler.
        if !is_first && !lex.mark(b',') && !begins_operand(&lex) {
            return fail(&lex, "expected `,` and another operand");
        }
        is_first = false;
        let first = lex.location();
        written[i] = operand(&mut lex, &mut inst, spec)?;
        places[i] = lex.since(&first).span();
        inst.operands[i] = written[i].operand;
    }
    let scales = if form == Form::MaiScaled {
        scales(&mut lex, chip)?
    } else {
        [0; 2]
    };
    let modifiers_at = lex.location();
    let address = (inst.mods.offset, inst.mods.flags);
    let mut present = modifiers(&mut lex, form, chip, &mut inst.mods)?;
    if let Some(early) = early {
        present |= early.apply(present, &mut inst.mods)?;
    }
    inst.mods.scales = scales;
    apply(&mut inst, present, address, &written, &modifiers_at)?;
    if form == Form::Mimg {
        // The address registers as written are checked as well.
        inst.spelling = spelling(&inst, &written);
    }
    check_widths(&inst, &written, &places)?;
    legal::check(&inst, &places)?;
    let mut inst = finish(inst, &start, &modifiers_at, &places)?;
    inst.spelling = spelling(&inst, &written);
    Ok(inst)
}

/// Returns whether a comma or an operand is next.
fn another_operand(lex: &Lexer<'_>) -> bool {
    lex.peek() == Token::Mark(b',') || begins_operand(lex)
}

/// Returns whether an operand can begin here; a modifier ends the operands.
fn begins_operand(lex: &Lexer<'_>) -> bool {
    match lex.peek() {
        Token::End => false,
        Token::Word(word) => word == "off" || !is_modifier(word),
        _ => true,
    }
}

/// Reads the registers of the scales after the matrices.
fn scales(lex: &mut Lexer<'_>, chip: Chip) -> Result<[u8; 2], Failure> {
    let mut numbers = [0; 2];
    for number in &mut numbers {
        expect(lex, b',', "and the registers of two scales")?;
        let start = lex.location();
        match source(lex, Ty::B32, chip.generation())? {
            Written {
                operand: Operand::Vgpr(register),
                registers: 1,
                neg: false,
                abs: false,
                sext: false,
                ..
            } => *number = register,
            _ => return fail(&start, "a scale is in a vector register"),
        }
    }
    Ok(numbers)
}

/// Returns the choices of notation that the bytes do not determine.
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

/// Words after the operands that determine which operands are present.
#[derive(Clone, Copy)]
struct Words {
    glc: bool,
    lds: bool,
}

impl Words {
    /// Finds the words in the rest of a line, if the instruction depends on them.
    fn of(mut lex: Lexer<'_>, inst: &Inst) -> Words {
        let mut words = Words {
            glc: false,
            lds: false,
        };
        let mut operands = inst.row().operands.iter();
        let has_modifiers = matches!(inst.form, Form::Mubuf | Form::Mtbuf)
            || loads_to_lds(inst)
            || operands.any(|s| s.access == Access::WriteIfGlc);
        while has_modifiers && lex.peek() != Token::End {
            match lex.next() {
                Token::Word("glc" | "sc0") => words.glc = true,
                Token::Word("lds") => words.lds = true,
                _ => {}
            }
        }
        words
    }
}

/// Returns whether the text omits an operand.
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

/// Returns whether the instruction can load to LDS, bypassing its vector registers.
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
        Kind::Source
        | Kind::Vgpr
        | Kind::Agpr
        | Kind::Vector
        | Kind::Accumulator
        | Kind::Sgpr
        | Kind::Scalar => {
            if inst.form == Form::Smem && spec.field == Field::Soffset {
                return smem_offset(lex, inst);
            }
            let start = lex.location();
            // The sources of the mixed-precision operations take constants of 16 bits.
            let ty = if is_mix(inst.op) && spec.ty == Ty::F32 {
                Ty::F16
            } else {
                spec.ty
            };
            let w = if inst.chip == Chip::Gfx950 && lex.peek() == Token::Word("lit") {
                forced(lex, ty, generation)?
            } else {
                source(lex, ty, generation)?
            };
            let vector = matches!(w.operand, Operand::Vgpr(_));
            let accumulates = matches!(w.operand, Operand::Agpr(_));
            if accumulates && !inst.chip.is_cdna() {
                return fail(&start, "this chip has no accumulation registers");
            }
            if w.operand == LDS_DIRECT && !takes_lds_direct(inst, spec) {
                return fail(&start, "lds_direct cannot stand here");
            }
            if is_interp(inst) && source_bit(spec.field) != 0 && !vector {
                return fail(&start, "interpolation reads vector registers alone");
            }
            match (spec.kind, w.operand) {
                (Kind::Vgpr, Operand::Vgpr(_) | Operand::Agpr(_) | Operand::Off) => Ok(w),
                (Kind::Agpr, _) if accumulates => Ok(w),
                (Kind::Agpr, _) => fail(&start, "expected an accumulation register"),
                (Kind::Vector, _) if !vector && !accumulates => fail(
                    &start,
                    "expected a vector register or an accumulation register",
                ),
                (Kind::Vgpr, _) if source_bit(spec.field) == 0 => {
                    fail(&start, "expected a vector register")
                }
                (Kind::Sgpr | Kind::Scalar, _) if vector => {
                    fail(&start, "expected a scalar register")
                }
                (Kind::Scalar, Operand::Literal(_)) if is_lane(inst, spec) => {
                    fail(&start, "the number of a lane is not a literal")
                }
                (Kind::Source, o) if spec.ty == Ty::B128 && !vector && o != Operand::Off => {
                    fail(&start, "expected vector registers")
                }
                _ => Ok(w),
            }
        }
        Kind::Literal => literal(lex, spec).map(plain),
        // Kept sign-extended, although the comparison is unsigned.
        Kind::Simm16 if compares_unsigned(inst) => {
            number(lex, 0, 0xffff).map(|n| plain(Operand::Imm(i32::from(n as u16 as i16))))
        }
        kind => immediate(lex, kind, inst.chip).map(|n| plain(Operand::Imm(n))),
    }
}

/// Returns whether an operand is the number of a lane.
fn is_lane(inst: &Inst, spec: &OperandSpec) -> bool {
    inst.row().class == Class::Valu && spec.field == Field::Src1
}

/// Returns whether a SOPK instruction compares with an unsigned constant.
fn compares_unsigned(inst: &Inst) -> bool {
    let compared = inst.row().operands.first();
    inst.form == Form::Sopk && compared.is_some_and(|s| s.ty == Ty::U32)
}

/// The source that reads the LDS dword at M0.
const LDS_DIRECT: Operand = Operand::Inline(254);

/// Returns whether an operand can be LDS_DIRECT: the first source of a 32-bit vector operation, unless the operation takes its
/// sources in reverse.
fn takes_lds_direct(inst: &Inst, spec: &OperandSpec) -> bool {
    let row = inst.row();
    let name = row.name(inst.chip).unwrap_or_default();
    let lanes = name == "v_writelane_b32" && inst.chip >= Chip::Gfx900;
    row.class == Class::Valu
        && inst.form != Form::Sdwa
        && spec.field == Field::Src0
        && spec.ty.dwords() == 1
        && (!name.contains("rev") || name == "v_bfrev_b32")
        && !lanes
        && inst.chip < Chip::Gfx90a
}

/// Returns whether the instruction is an interpolation, whose sources are vector registers.
fn is_interp(inst: &Inst) -> bool {
    inst.row().class == Class::Interp
}

/// Reads a literal that is always present, even if its value has an inline form.
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
    let start = lex.location();
    // Inline floats become the bits of the operand's type.
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

/// Reads `lit(…)`, which is a literal from gfx950 on, also if its value has an inline form.
fn forced(lex: &mut Lexer<'_>, ty: Ty, generation: Generation) -> Result<Written, Failure> {
    lex.next();
    expect(lex, b'(', "after lit")?;
    let start = lex.location();
    let mut ahead = *lex;
    let operand = match ahead.integer().map(|value| (value, value as u32)) {
        Some((value, bits)) if (i32::MIN.into()..=u32::MAX.into()).contains(&value) => {
            *lex = ahead;
            Operand::Literal(bits)
        }
        _ => constant(lex, ty, generation)?,
    };
    let float = |code| super::names::INLINE_FLOATS.iter().find(|f| f.code == code);
    let bits = match operand {
        Operand::Literal(bits) => Some(bits),
        Operand::Inline(code) => float(code).and_then(|f| match ty {
            Ty::F16 | Ty::V2F16 => Some(f.f16.into()),
            Ty::Bf16 | Ty::V2Bf16 => Some(f.f32 >> 16),
            ty if ty.constant_dwords() == 1 => Some(f.f32),
            Ty::F64 => Some((f64::from(f32::from_bits(f.f32)).to_bits() >> 32) as u32),
            _ => None,
        }),
        _ => None,
    };
    let Some(bits) = bits else {
        return fail(&start, "the number does not fit a literal");
    };
    expect(lex, b')', "after the number")?;
    Ok(Written {
        operand: Operand::Literal(bits),
        ..Written::NOTHING
    })
}

/// Reads the offset of scalar memory: an immediate, or a register.
fn smem_offset(lex: &mut Lexer<'_>, inst: &mut Inst) -> Result<Written, Failure> {
    let generation = inst.chip.generation();
    let mut ahead = *lex;
    if ahead.integer().is_none() {
        let w = source(lex, Ty::U32, generation)?;
        // `lit(4)` is an immediate, too; other constants are not allowed.
        if let Operand::Inline(_) | Operand::Literal(_) = w.operand {
            return fail(&ahead, "expected an offset or a scalar register");
        }
        return Ok(w);
    }
    let start = lex.location();
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
        // A literal, if 8 bits are not enough.
        Generation::Gfx7 => (0, 0xffff_ffff),
        Generation::Gfx9 if !resource => (-(1 << 20), 0xf_ffff),
        // Offsets into buffers are unsigned.
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

/// Checks that each operand names as many registers as it spans.
pub(super) fn check_widths(
    inst: &Inst,
    written: &[Written],
    places: &[Range<usize>],
) -> Result<(), Failure> {
    for (i, spec) in inst.row().operands.iter().enumerate() {
        let (got, needed) = (written[i].registers, inst.dwords(i));
        let right = match (inst.form, spec.field) {
            _ if got == 0 => true,
            // The number that is read depends on the resource. CLRX writes the half of the resource that is there.
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

/// Encodes and decodes again: an instruction that changes on the way is not in the encoding.
pub(super) fn finish(
    inst: Inst,
    start: &Location,
    mods_at: &Location,
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

/// Returns the error of an operand that its field cannot hold.
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
        Operand::Agpr(_) => (
            "an accumulation register cannot stand here".into(),
            Some("use a vector register"),
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
