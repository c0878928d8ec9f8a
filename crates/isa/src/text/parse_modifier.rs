//! The words after the operands.

use super::failure::{Failure, fail};
use super::lex::{Lexer, Located, Spot, Token};
use super::names::{
    DATA_FORMATS, DEFAULT_DFMT, DEFAULT_NFMT, DPP_AMOUNTS, DPP_PLAIN, DST_UNUSED, SDWA_SELS,
    number_formats,
};
use super::parse_operand::expect;
use super::parse_symbolic::{number, swizzle};
use crate::form::Form;
use crate::generation::Generation;
use crate::inst::{Mods, flag};
use crate::layout::{Layout, layout};

/// Modifiers as written: their values, and which were there.
struct Modifiers<'m> {
    mods: &'m mut Mods,
    /// Bits of [`given`].
    given: u32,
    /// Flags that were said not to be set.
    denied: u32,
}

/// Kinds of modifiers that were written; flags are in [`Mods::flags`].
pub(super) mod given {
    pub const OMOD: u32 = 1 << 0;
    pub const OP_SEL: u32 = 1 << 1;
    pub const OP_SEL_HI: u32 = 1 << 2;
    pub const NEG_LO: u32 = 1 << 3;
    pub const SDWA: u32 = 1 << 4;
    pub const DPP: u32 = 1 << 5;
    pub const OFFSET: u32 = 1 << 6;
    pub const OFFSET0: u32 = 1 << 7;
    pub const FORMAT: u32 = 1 << 8;
    pub const DMASK: u32 = 1 << 9;
    pub const DST_SEL: u32 = 1 << 10;
    pub const DPP_CTRL: u32 = 1 << 11;
    pub const OFFSET1: u32 = 1 << 12;
    pub const DST_UNUSED: u32 = 1 << 13;
    pub const ROW_MASK: u32 = 1 << 14;
    pub const BANK_MASK: u32 = 1 << 15;
    pub const NEG_HI: u32 = 1 << 16;
    /// `noclamp`.
    pub const NO_CLAMP: u32 = 1 << 17;
    pub const NEG_LO_HI: u32 = NEG_LO | NEG_HI;
    pub const OFFSET01: u32 = OFFSET0 | OFFSET1;
}

/// Flags by the word that sets them.
pub(super) const FLAGS: [(&str, u32); 19] = [
    ("clamp", flag::CLAMP),
    ("glc", flag::GLC),
    ("slc", flag::SLC),
    ("tfe", flag::TFE),
    ("lwe", flag::LWE),
    ("lds", flag::LDS),
    ("gds", flag::GDS),
    ("offen", flag::OFFEN),
    ("idxen", flag::IDXEN),
    ("addr64", flag::ADDR64),
    ("unorm", flag::UNORM),
    ("da", flag::DA),
    ("r128", flag::R128),
    ("a16", flag::A16),
    ("d16", flag::D16),
    ("done", flag::DONE),
    ("compr", flag::COMPR),
    ("high", flag::HIGH),
    ("vm", flag::VM),
];

/// Words that take a value.
const VALUED: [&str; 19] = [
    "mul",
    "div",
    "op_sel",
    "op_sel_hi",
    "neg_lo",
    "neg_hi",
    "dst_sel",
    "dst_unused",
    "src0_sel",
    "src1_sel",
    "quad_perm",
    "row_mask",
    "bank_mask",
    "bound_ctrl",
    "offset",
    "offset0",
    "offset1",
    "dmask",
    "format",
];

/// Every word that modifies.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    let flags = FLAGS.iter().map(|(word, _)| *word);
    let plain = DPP_PLAIN.iter().map(|(_, word)| *word);
    let amounts = DPP_AMOUNTS.iter().map(|(_, word, _)| *word);
    flags.chain(plain).chain(amounts).chain(VALUED)
}

/// What a form can be told.
pub(super) fn allowed(form: Form) -> (u32, u32) {
    use given::*;
    let memory = flag::GLC | flag::SLC | flag::TFE | flag::LDS;
    let address = flag::OFFEN | flag::IDXEN | flag::ADDR64;
    match form {
        Form::Vop3 => (OMOD | OP_SEL, flag::CLAMP | flag::HIGH),
        Form::Vop3p => (OP_SEL | OP_SEL_HI | NEG_LO_HI, flag::CLAMP),
        Form::Sdwa => (OMOD | SDWA | DST_SEL | DST_UNUSED, flag::CLAMP),
        Form::Dpp => (DPP | DPP_CTRL | ROW_MASK | BANK_MASK, flag::BOUND_CTRL),
        Form::Smem => (OFFSET, flag::GLC),
        Form::Ds => (OFFSET | OFFSET01, flag::GDS),
        Form::Mubuf => (OFFSET, memory | address),
        Form::Mtbuf => (OFFSET | FORMAT, memory & !flag::LDS | address),
        Form::Mimg => (
            DMASK,
            memory & !flag::LDS
                | flag::LWE
                | flag::UNORM
                | flag::DA
                | flag::R128
                | flag::A16
                | flag::D16,
        ),
        Form::Flat | Form::Global | Form::Scratch => (OFFSET, memory),
        Form::Exp => (0, flag::DONE | flag::COMPR | flag::VM),
        _ => (0, 0),
    }
}

/// Parses the modifiers up to the end of the line; each must suit the form.
/// Gives the bits of [`given`].
pub(super) fn modifiers(
    lex: &mut Lexer<'_>,
    form: Form,
    generation: Generation,
    mods: &mut Mods,
) -> Result<u32, Failure> {
    *mods = Mods::default();
    let mut m = Modifiers {
        mods,
        given: 0,
        denied: 0,
    };
    m.mods.dfmt = if form == Form::Mtbuf { DEFAULT_DFMT } else { 0 };
    m.mods.nfmt = DEFAULT_NFMT;
    if form == Form::Dpp {
        (m.mods.row_mask, m.mods.bank_mask) = (15, 15);
    }
    let (kinds, flags) = allowed(form);
    loop {
        // Marks between modifiers are free.
        let comma = lex.mark(b',');
        let start = lex.spot();
        let word = match lex.next() {
            Token::End if start.span().is_empty() && !comma => return Ok(m.given),
            Token::Word(word) => word,
            _ => return fail(&start, "expected a modifier, or the end of the line"),
        };
        if let Some(bit) = denied_flag(word, flags, layout(form, generation)) {
            if bit & (m.mods.flags | m.denied) != 0 {
                return fail(&start, format_args!("`{word}` stands beside its like"));
            }
            m.denied |= bit;
            m.given |= if bit == flag::CLAMP {
                given::NO_CLAMP
            } else {
                0
            };
            continue;
        }
        let (had_kinds, had_flags) = (m.given, m.mods.flags);
        one(lex, word, &start, &mut m, generation)?;
        let (new_kinds, new_flags) = (m.given & !had_kinds, m.mods.flags & !had_flags);
        if new_kinds & !kinds != 0 || new_flags & !flags != 0 {
            return fail(
                &start,
                format_args!("this form of the instruction takes no `{word}`"),
            );
        }
        let repeated = new_kinds == 0 && new_flags == 0 && !is_repeatable(word);
        if repeated || m.mods.flags & m.denied != 0 {
            return fail(&start, format_args!("`{word}` stands here twice"));
        }
    }
}

/// `noglc`, `notfe`: a flag that the encoding has is said not to be set.
fn denied_flag(word: &str, flags: u32, layout: &Layout) -> Option<u32> {
    let name = word.strip_prefix("no")?;
    let (_, bit) = FLAGS.iter().find(|(w, _)| *w == name)?;
    let has = |bit: u32| bit == flag::CLAMP || layout.flags.iter().any(|(f, _)| *f == bit);
    Some(*bit).filter(|bit| bit & flags != 0 && has(*bit))
}

/// Words that belong to a kind of which another word may have been there.
fn is_repeatable(word: &str) -> bool {
    matches!(word, "src0_sel" | "src1_sel" | "dfmt" | "nfmt")
}

fn one(
    lex: &mut Lexer<'_>,
    word: &str,
    start: &Spot,
    m: &mut Modifiers<'_>,
    generation: Generation,
) -> Result<(), Failure> {
    if let Some((_, bit)) = FLAGS.iter().find(|(w, _)| *w == word) {
        m.mods.flags |= bit;
        return Ok(());
    }
    if let Some((code, _)) = DPP_PLAIN.iter().find(|(_, n)| *n == word) {
        return control(m, *code);
    }
    if !lex.mark(b':') {
        return fail(start, format_args!("`{word}` is no modifier"));
    }
    if DPP_AMOUNTS.iter().any(|(_, name, _)| *name == word) {
        return dpp_amount(lex, word, m);
    }
    let mods = &mut *m.mods;
    let kind = match word {
        "mul" | "div" => {
            mods.omod = omod(lex, word)?;
            given::OMOD
        }
        "op_sel" => {
            mods.op_sel = bits(lex)?;
            given::OP_SEL
        }
        "op_sel_hi" => {
            mods.op_sel_hi = bits(lex)?;
            given::OP_SEL_HI
        }
        "neg_lo" => {
            mods.neg = bits(lex)?;
            given::NEG_LO
        }
        "neg_hi" => {
            mods.abs = bits(lex)?;
            given::NEG_HI
        }
        "dst_sel" => {
            mods.dst_sel = choice(lex, &SDWA_SELS)?;
            given::DST_SEL
        }
        "dst_unused" => {
            mods.dst_unused = choice(lex, &DST_UNUSED)?;
            given::DST_UNUSED
        }
        "src0_sel" => {
            mods.src_sel[0] = choice(lex, &SDWA_SELS)?;
            given::SDWA
        }
        "src1_sel" => {
            mods.src_sel[1] = choice(lex, &SDWA_SELS)?;
            given::SDWA
        }
        "quad_perm" => {
            let lanes = values(lex, 4, 3)?;
            mods.dpp_ctrl = lanes.iter().rev().fold(0, |c, l| c << 2 | u16::from(*l));
            given::DPP_CTRL
        }
        "row_mask" => {
            mods.row_mask = number(lex, 0, 15)? as u8;
            given::ROW_MASK
        }
        "bank_mask" => {
            mods.bank_mask = number(lex, 0, 15)? as u8;
            given::BANK_MASK
        }
        "bound_ctrl" => {
            // 0 is an old spelling of the same bit.
            number(lex, 0, 1)?;
            mods.flags |= flag::BOUND_CTRL;
            given::DPP
        }
        "offset" => {
            mods.offset = match lex.word("swizzle") {
                true => swizzle(lex)?,
                false => number(lex, i64::from(i32::MIN) + 1, i64::from(i32::MAX))?,
            };
            given::OFFSET
        }
        "offset0" => {
            mods.offset = number(lex, 0, 255)?;
            given::OFFSET0
        }
        "offset1" => {
            mods.offset1 = number(lex, 0, 255)? as u8;
            given::OFFSET1
        }
        "dmask" => {
            mods.dmask = number(lex, 0, 15)? as u8;
            given::DMASK
        }
        "dfmt" => {
            mods.dfmt = number(lex, 0, 15)? as u8;
            given::FORMAT
        }
        "nfmt" => {
            mods.nfmt = number(lex, 0, 7)? as u8;
            given::FORMAT
        }
        "format" => {
            format(lex, mods, generation)?;
            given::FORMAT
        }
        _ => return fail(start, format_args!("`{word}` is no modifier")),
    };
    m.given |= kind;
    Ok(())
}

fn control(m: &mut Modifiers<'_>, code: u16) -> Result<(), Failure> {
    m.mods.dpp_ctrl = code;
    m.given |= given::DPP_CTRL;
    Ok(())
}

fn dpp_amount(lex: &mut Lexer<'_>, word: &str, m: &mut Modifiers<'_>) -> Result<(), Failure> {
    let start = lex.spot();
    let amount = number(lex, 0, 63)? as u16;
    let found = DPP_AMOUNTS
        .iter()
        .find(|(_, name, range)| *name == word && range.contains(&amount));
    match found {
        Some((base, ..)) => control(m, base + amount),
        None => fail(&start, format_args!("{word} does not take {amount}")),
    }
}

fn omod(lex: &mut Lexer<'_>, word: &str) -> Result<u8, Failure> {
    let start = lex.spot();
    match (word, number(lex, 0, 4)?) {
        (_, 1) => Ok(0),
        ("mul", 2) => Ok(1),
        ("mul", 4) => Ok(2),
        ("div", 2) => Ok(3),
        _ => fail(&start, "results are scaled by mul:2, mul:4 or div:2"),
    }
}

/// `[0,1,1]` as values up to a limit.
fn values(lex: &mut Lexer<'_>, most: usize, max: i64) -> Result<Vec<u8>, Failure> {
    expect(lex, b'[', "before a list")?;
    let mut values = Vec::with_capacity(most);
    loop {
        let start = lex.spot();
        values.push(number(lex, 0, max)? as u8);
        if values.len() > most {
            return fail(&start, format_args!("the list has more than {most} values"));
        }
        if !lex.mark(b',') {
            break;
        }
    }
    expect(lex, b']', "after a list")?;
    Ok(values)
}

fn bits(lex: &mut Lexer<'_>) -> Result<u8, Failure> {
    let values = values(lex, 4, 1)?;
    Ok(values
        .iter()
        .enumerate()
        .fold(0, |mask, (n, bit)| mask | bit << n))
}

fn choice<T: Copy>(lex: &mut Lexer<'_>, table: &[(&str, T)]) -> Result<T, Failure> {
    let start = lex.spot();
    if let Token::Word(word) = lex.next()
        && let Some((_, value)) = table.iter().find(|(n, _)| *n == word)
    {
        return Ok(*value);
    }
    let names: Vec<_> = table.iter().map(|(n, _)| *n).collect();
    fail(&start, format_args!("expected one of {}", names.join(", ")))
}

/// `format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]`, or a number.
fn format(lex: &mut Lexer<'_>, mods: &mut Mods, generation: Generation) -> Result<(), Failure> {
    if !lex.mark(b'[') {
        let value = number(lex, 0, 127)?;
        (mods.dfmt, mods.nfmt) = (value as u8 & 15, value as u8 >> 4);
        return Ok(());
    }
    let (mut has_data, mut has_numeric) = (false, false);
    loop {
        let start = lex.spot();
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
            _ => return fail(&start, format_args!("`{word}` is no buffer format")),
        }
        if !lex.mark(b',') {
            break;
        }
    }
    expect(lex, b']', "after a format")
}
