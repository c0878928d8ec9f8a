//! The modifiers after the operands, in LLVM's syntax.

use super::failure::{Failure, fail};
use super::lex::{Lexer, Located, Location, Token};
use super::names::{
    DATA_FORMATS, DEFAULT_DFMT, DEFAULT_NFMT, DPP_PLAIN, DST_UNUSED, SDWA_SELS, dpp_amounts,
    number_formats,
};
use super::parse_operand::expect;
use super::parse_symbolic::{number, swizzle};
use super::shared_modifiers::{Syntax, allowed, dpp_amount, flag, present, valued, words};
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{DstUnused, Flags, Mods, SdwaSel};
use crate::layout::layout;

/// Modifiers as written: their values, and which are present.
struct Modifiers<'m> {
    mods: &'m mut Mods,
    /// The kinds that are present, as bits of [`present`].
    present: u32,
    /// Flags that are explicitly cleared.
    denied: Flags,
}

/// Parses the modifiers up to the end of the line; each must suit the form. Returns the bits of [`present`].
pub(super) fn modifiers(
    lex: &mut Lexer<'_>,
    form: Form,
    chip: Chip,
    mods: &mut Mods,
) -> Result<u32, Failure> {
    *mods = Mods::default();
    let mut m = Modifiers {
        mods,
        present: 0,
        denied: Flags::empty(),
    };
    m.mods.dfmt = if form == Form::Mtbuf { DEFAULT_DFMT } else { 0 };
    m.mods.nfmt = DEFAULT_NFMT;
    if form == Form::Dpp {
        (m.mods.row_mask, m.mods.bank_mask) = (15, 15);
    }
    let (kinds, flags) = allowed(form);
    loop {
        // Marks between modifiers are optional.
        let comma = lex.mark(b',');
        let start = lex.location();
        let word = match lex.next() {
            Token::End if start.span().is_empty() && !comma => return Ok(m.present),
            Token::Word(word) => word,
            _ => return fail(&start, "expected a modifier, or the end of the line"),
        };
        if let Some(bit) = denied_flag(word, flags, form, chip) {
            if bit.intersects(m.mods.flags | m.denied) {
                return fail(&start, format_args!("`{word}` stands beside its like"));
            }
            m.denied |= bit;
            m.present |= if bit == Flags::CLAMP {
                present::NO_CLAMP
            } else {
                0
            };
            continue;
        }
        let (had_kinds, had_flags) = (m.present, m.mods.flags);
        one(lex, word, &start, &mut m, form, chip)?;
        let (new_kinds, new_flags) = (m.present & !had_kinds, m.mods.flags - had_flags);
        if new_kinds & !kinds != 0 || !flags.contains(new_flags) {
            return fail(
                &start,
                format_args!("this form of the instruction takes no `{word}`"),
            );
        }
        let repeated = new_kinds == 0 && new_flags.is_empty() && !is_repeatable(word);
        if repeated || m.mods.flags.intersects(m.denied) {
            return fail(&start, format_args!("`{word}` stands here twice"));
        }
    }
}

/// The format of a typed buffer access, written before the scalar offset: `dfmt:4, nfmt:7, s0`. LLVM accepts the two numbers
/// there, in either order and with optional commas, for sources of its earlier versions and of the vendor's assembler.
pub(super) struct EarlyFormat {
    start: Location,
    dfmt: Option<u8>,
    nfmt: Option<u8>,
}

impl EarlyFormat {
    /// Parses the numbers with the comma before them, if they follow.
    pub(super) fn parse(lex: &mut Lexer<'_>) -> Result<Option<EarlyFormat>, Failure> {
        let mut ahead = *lex;
        ahead.mark(b',');
        let mut format = EarlyFormat {
            start: ahead.location(),
            dfmt: None,
            nfmt: None,
        };
        while let Some((part, most)) = format.named_by(ahead.peek()) {
            let start = ahead.location();
            ahead.next();
            if !ahead.mark(b':') {
                break;
            }
            let value = number(&mut ahead, 0, most)? as u8;
            if part.replace(value).is_some() {
                return fail(&start, "this part of the format stands here twice");
            }
            *lex = ahead;
            ahead.mark(b',');
        }
        Ok((format.dfmt.or(format.nfmt).is_some()).then_some(format))
    }

    /// Returns the part that a word names, and its greatest value.
    fn named_by(&mut self, word: Token<'_>) -> Option<(&mut Option<u8>, i64)> {
        match word {
            Token::Word("dfmt") => Some((&mut self.dfmt, 15)),
            Token::Word("nfmt") => Some((&mut self.nfmt, 7)),
            _ => None,
        }
    }

    /// Stores the format, unless the modifiers have one of their own. Returns the bit of [`present`].
    pub(super) fn apply(&self, present: u32, mods: &mut Mods) -> Result<u32, Failure> {
        if present & present::FORMAT != 0 {
            return fail(&self.start, "the format stands here twice");
        }
        mods.dfmt = self.dfmt.unwrap_or(DEFAULT_DFMT);
        mods.nfmt = self.nfmt.unwrap_or(DEFAULT_NFMT);
        Ok(present::FORMAT)
    }
}

/// Returns the flag that `noglc`, `notfe` and their like clear, if the encoding has it.
fn denied_flag(word: &str, flags: Flags, form: Form, chip: Chip) -> Option<Flags> {
    let bit = flag(word.strip_prefix("no")?, form, chip)?;
    let placed = layout(form, chip).flags;
    let has = bit == Flags::CLAMP || placed.iter().any(|(f, _)| *f == bit);
    Some(bit).filter(|bit| has && flags.contains(*bit))
}

/// Returns whether a word shares its kind with other words, so that the kind may occur again.
fn is_repeatable(word: &str) -> bool {
    matches!(word, "src0_sel" | "src1_sel" | "dfmt" | "nfmt")
}

fn one(
    lex: &mut Lexer<'_>,
    word: &str,
    start: &Location,
    m: &mut Modifiers<'_>,
    form: Form,
    chip: Chip,
) -> Result<(), Failure> {
    if let Some(bit) = flag(word, form, chip) {
        m.mods.flags |= bit;
        return Ok(());
    }
    if let Some((code, _)) = DPP_PLAIN.iter().find(|(_, n)| *n == word) {
        return control(m, *code);
    }
    if !lex.mark(b':') {
        return if words().any(|known| known == word) {
            fail(start, format_args!("`{word}` needs a value: `{word}:…`"))
        } else {
            fail(start, format_args!("`{word}` is not a modifier"))
        };
    }
    if dpp_amounts(chip).any(|(_, name, _)| name == word) {
        let at = lex.location();
        let amount = number(lex, 0, 63)? as u16;
        return control(m, dpp_amount(&lex.since(&at), word, amount, chip)?);
    }
    let syntax = Llvm(chip);
    if form == Form::Mai && word == "neg" {
        m.mods.neg = syntax.bits(lex)?;
        m.present |= present::NEG;
        return Ok(());
    }
    // The vendor's name for the offset of these forms.
    let is_flat = matches!(form, Form::Flat | Form::Global | Form::Scratch);
    let word = if is_flat && word == "inst_offset" {
        "offset"
    } else {
        word
    };
    match valued(&syntax, lex, word, m.mods)? {
        Some(kind) => m.present |= kind,
        None => return fail(start, format_args!("`{word}` is not a modifier")),
    }
    Ok(())
}

fn control(m: &mut Modifiers<'_>, code: u16) -> Result<(), Failure> {
    m.mods.dpp_ctrl = code;
    m.present |= present::DPP_CTRL;
    Ok(())
}

/// LLVM's syntax on a chip, which determines the names of buffer formats.
struct Llvm(Chip);

impl Syntax for Llvm {
    fn number(&self, lex: &mut Lexer<'_>, min: i64, max: i64) -> Result<i32, Failure> {
        number(lex, min, max)
    }

    fn bits(&self, lex: &mut Lexer<'_>) -> Result<u8, Failure> {
        self.listed_bits(lex)
    }

    fn part(&self, lex: &mut Lexer<'_>) -> Result<SdwaSel, Failure> {
        choice(lex, &SDWA_SELS)
    }

    fn unused(&self, lex: &mut Lexer<'_>) -> Result<DstUnused, Failure> {
        choice(lex, &DST_UNUSED)
    }

    fn own(&self, lex: &mut Lexer<'_>, word: &str, mods: &mut Mods) -> Result<(), Failure> {
        match word {
            "bound_ctrl" => {
                // 0 is an old spelling of the same bit.
                number(lex, 0, 1)?;
                mods.flags |= Flags::BOUND_CTRL;
            }
            "fi" => mods.flags.set(Flags::FI, number(lex, 0, 1)? != 0),
            "format" => format(lex, mods, self.0.generation())?,
            _ if lex.word("swizzle") => mods.offset = swizzle(lex, self.0)?,
            _ => mods.offset = number(lex, i64::from(i32::MIN) + 1, i64::from(i32::MAX))?,
        }
        Ok(())
    }
}

fn choice<T: Copy>(lex: &mut Lexer<'_>, table: &[(&str, T)]) -> Result<T, Failure> {
    let start = lex.location();
    if let Token::Word(word) = lex.next()
        && let Some((_, value)) = table.iter().find(|(n, _)| *n == word)
    {
        return Ok(*value);
    }
    let names: Vec<_> = table.iter().map(|(n, _)| *n).collect();
    fail(&start, format_args!("expected one of {}", names.join(", ")))
}

/// Reads `format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]`, or a number.
fn format(lex: &mut Lexer<'_>, mods: &mut Mods, generation: Generation) -> Result<(), Failure> {
    if !lex.mark(b'[') {
        let value = number(lex, 0, 127)?;
        (mods.dfmt, mods.nfmt) = (value as u8 & 15, value as u8 >> 4);
        return Ok(());
    }
    let (mut has_data, mut has_numeric) = (false, false);
    loop {
        let start = lex.location();
        let Token::Word(word) = lex.next() else {
            return fail(&start, "expected the name of a buffer format");
        };
        let data = DATA_FORMATS.iter().position(|n| *n == word);
        let numeric = number_formats(generation).iter().position(|n| *n == word);
        match (data, numeric) {
            (Some(code), _) if !std::mem::replace(&mut has_data, true) => mods.dfmt = code as u8,
            (_, Some(code)) if !std::mem::replace(&mut has_numeric, true) => {
                mods.nfmt = code as u8;
            }
            (Some(_), _) | (_, Some(_)) => {
                return fail(&start, "a format has one name of each sort");
            }
            _ => return fail(&start, format_args!("`{word}` is not a buffer format")),
        }
        if !lex.mark(b',') {
            break;
        }
    }
    expect(lex, b']', "after a format")
}
