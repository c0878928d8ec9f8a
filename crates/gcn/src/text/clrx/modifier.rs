//! The modifiers after the operands, in CLRX's syntax.

use super::super::failure::{Failure, fail};
use super::super::lex::{Lexer, Located, Location, Token};
use super::super::names::{DEFAULT_DFMT, DEFAULT_NFMT, DPP_AMOUNTS, DPP_PLAIN};
use super::super::parse_operand::expect;
use super::super::shared_modifiers::{self, FLAGS, Syntax, allowed, dpp_amount, present};
use super::expr;
use super::names::{DATA_FORMATS, NUMBER_FORMATS, SELS, UNUSED};
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{DstUnused, Flags, Mods, SdwaSel};

/// Modifiers as written: their values, and which are present.
pub(super) struct Modifiers {
    pub mods: Mods,
    /// The kinds that are present, as bits of [`present`].
    pub present: u32,
    /// The form that a word requests: `vop3`, `sdwa`, `dpp`.
    pub form: Option<Form>,
    /// Bit n: source n is negated, made absolute, extended by a word.
    pub neg: u8,
    pub abs: u8,
    pub sext: u8,
}

/// The identity permutation, which is used if DPP has no control.
const IDENTITY: u16 = 0xe4;

/// Parses the modifiers up to the end of the line; each must suit the form.
pub(super) fn modifiers(
    lex: &mut Lexer<'_>,
    form: Form,
    generation: Generation,
) -> Result<Modifiers, Failure> {
    let mut m = Modifiers {
        mods: Mods::default(),
        present: 0,
        form: None,
        neg: 0,
        abs: 0,
        sext: 0,
    };
    m.mods.dfmt = if form == Form::Mtbuf { DEFAULT_DFMT } else { 0 };
    m.mods.nfmt = DEFAULT_NFMT;
    // The default of an image instruction is one channel.
    m.mods.dmask = u8::from(form == Form::Mimg);
    if form == Form::Dpp {
        m.mods.dpp_ctrl = IDENTITY;
        (m.mods.row_mask, m.mods.bank_mask) = (15, 15);
    }
    let (kinds, flags) = allowed(form);
    let flags = flags | extra_flags(form, generation);
    loop {
        let comma = lex.mark(b',');
        let start = *lex;
        let word = match lex.next() {
            Token::End if start.span().is_empty() && !comma => return Ok(m),
            Token::Word(word) => word,
            _ => return fail(&start, "expected a modifier, or the end of the line"),
        };
        one(lex, word, &start, &mut m)?;
        let requests_other = m.form.is_some_and(|requested| requested != form);
        if m.present & !kinds != 0 || !flags.contains(m.mods.flags) || requests_other {
            let message = format!("this form of the instruction takes no `{word}`");
            return fail(&start, message);
        }
    }
}

/// Returns the flags that this syntax has words for, and LLVM's does not.
fn extra_flags(form: Form, generation: Generation) -> Flags {
    match form {
        Form::Smem | Form::Flat | Form::Global | Form::Scratch
            if generation == Generation::Gfx9 =>
        {
            Flags::NV
        }
        _ => Flags::empty(),
    }
}

/// Returns whether a flag is on: `word` sets it, `word:0` clears it.
fn switched_on(lex: &mut Lexer<'_>) -> Result<bool, Failure> {
    if lex.mark(b':') {
        return Ok(expr::within(lex, 0, 1)? != 0);
    }
    Ok(true)
}

fn one(
    lex: &mut Lexer<'_>,
    word: &str,
    start: &Lexer<'_>,
    m: &mut Modifiers,
) -> Result<(), Failure> {
    let flag = match word {
        "vm" => Some(Flags::VM),
        "nv" => Some(Flags::NV),
        "scc" => Some(Flags::SCC),
        _ => FLAGS.iter().find(|(w, _)| *w == word).map(|f| f.1),
    };
    if let Some(flag) = flag {
        if switched_on(lex)? {
            m.mods.flags |= flag;
        }
        return Ok(());
    }
    let form = match word {
        "vop3" => Some(Form::Vop3),
        "sdwa" => Some(Form::Sdwa),
        "dpp" => Some(Form::Dpp),
        _ => None,
    };
    if let Some(form) = form {
        m.form = if switched_on(lex)? {
            Some(form)
        } else {
            m.form
        };
        return Ok(());
    }
    if word == "bound_ctrl" {
        // The first occurrence sets the bit with any value; from the second one on, the value counts.
        switched_on(lex)?;
        if switched_on(lex)? {
            m.mods.flags |= Flags::BOUND_CTRL;
        }
        m.present |= present::DPP;
        return Ok(());
    }
    if let Some(control) = control(lex, word, &start.location())? {
        m.mods.dpp_ctrl = control;
        m.present |= present::DPP_CTRL;
        return Ok(());
    }
    if !lex.mark(b':') {
        return fail(start, format!("`{word}` is not a modifier"));
    }
    valued(lex, word, start, m)
}

/// Returns a DPP control by its name; amounts follow a colon, or belong to the name. `None` if the word is not a control.
fn control(lex: &mut Lexer<'_>, word: &str, start: &Location) -> Result<Option<u16>, Failure> {
    if let Some((code, _)) = DPP_PLAIN.iter().find(|(_, name)| *name == word) {
        return Ok(Some(*code));
    }
    if word == "row_hmirror" {
        return Ok(Some(0x141));
    }
    if let Some(digits) = word.strip_prefix("row_bcast").filter(|d| !d.is_empty()) {
        return Ok(match digits {
            "15" => Some(0x142),
            "31" => Some(0x143),
            _ => None,
        });
    }
    if !DPP_AMOUNTS.iter().any(|(_, name, _)| *name == word) {
        return Ok(None);
    }
    // A missing amount is 1.
    if !lex.mark(b':') {
        return dpp_amount(start, word, 1, Chip::Gfx900).map(Some);
    }
    let at = lex.location();
    let amount = expr::within(lex, 0, 63)? as u16;
    dpp_amount(&lex.since(&at), word, amount, Chip::Gfx900).map(Some)
}

/// Reads a modifier with a value after a colon.
fn valued(
    lex: &mut Lexer<'_>,
    word: &str,
    start: &Lexer<'_>,
    m: &mut Modifiers,
) -> Result<(), Failure> {
    let word = match word {
        "inst_offset" => "offset",
        "dst_un" => "dst_unused",
        word => word,
    };
    if let Some(kind) = shared_modifiers::valued(&Clrx, lex, word, &mut m.mods)? {
        m.present |= kind;
        return Ok(());
    }
    m.present |= match word {
        "omod" => {
            m.mods.omod = expr::within(lex, 0, 3)? as u8;
            present::OMOD
        }
        "neg" => {
            m.neg = Clrx.bits(lex)?;
            0
        }
        "abs" => {
            m.abs = Clrx.bits(lex)?;
            0
        }
        "sext" => {
            m.sext = Clrx.bits(lex)?;
            present::SDWA
        }
        "dppctrl" => {
            m.mods.dpp_ctrl = expr::within(lex, 0, 0x1ff)? as u16;
            present::DPP_CTRL
        }
        _ => return fail(start, format!("`{word}` is not a modifier")),
    };
    Ok(())
}

/// CLRX's notation of values.
struct Clrx;

impl Syntax for Clrx {
    fn number(&self, lex: &mut Lexer<'_>, min: i64, max: i64) -> Result<i32, Failure> {
        expr::within(lex, min, max).map(|n| n as i32)
    }

    /// Reads a list, or a number.
    fn bits(&self, lex: &mut Lexer<'_>) -> Result<u8, Failure> {
        if lex.clone().mark(b'[') {
            self.listed_bits(lex)
        } else {
            expr::within(lex, 0, 15).map(|n| n as u8)
        }
    }

    fn part(&self, lex: &mut Lexer<'_>) -> Result<SdwaSel, Failure> {
        choice(lex, &SELS, 7)
    }

    fn unused(&self, lex: &mut Lexer<'_>) -> Result<DstUnused, Failure> {
        choice(lex, &UNUSED, 3)
    }

    /// Reads `bound_ctrl` like a flag: it needs no value.
    fn own(&self, lex: &mut Lexer<'_>, word: &str, mods: &mut Mods) -> Result<(), Failure> {
        match word {
            "fi" => mods.flags.set(Flags::FI, self.number(lex, 0, 1)? != 0),
            "format" => format(lex, mods)?,
            _ => mods.offset = self.number(lex, i32::MIN.into(), i32::MAX.into())?,
        }
        Ok(())
    }
}

/// Reads a name of a table, or `@` and a code up to a limit: the table begins with the names of the codes.
fn choice<T: Copy>(lex: &mut Lexer<'_>, table: &[(&str, T)], max: i64) -> Result<T, Failure> {
    let start = *lex;
    if lex.mark(b'@') {
        let code = expr::within(lex, 0, max)?;
        return Ok(table[code as usize].1);
    }
    let name = lex.name();
    match table.iter().find(|(known, _)| *known == name) {
        Some((_, value)) => Ok(*value),
        None => fail(&start, format_args!("`{name}` cannot stand here")),
    }
}

/// Reads `format:[8_8,sint]`, with the data format, the number format or both, or a number.
fn format(lex: &mut Lexer<'_>, mods: &mut Mods) -> Result<(), Failure> {
    if !lex.mark(b'[') {
        let value = expr::within(lex, 0, 127)? as u8;
        (mods.dfmt, mods.nfmt) = (value & 15, value >> 4);
        return Ok(());
    }
    loop {
        let start = *lex;
        let name = lex.name();
        let data = name.strip_prefix("buf_data_format_").unwrap_or(name);
        let number = name.strip_prefix("buf_num_format_").unwrap_or(name);
        let position = |names: &[&str], name| names.iter().position(|known| *known == name);
        match (
            position(&DATA_FORMATS, data),
            position(&NUMBER_FORMATS, number),
        ) {
            (Some(code), _) => mods.dfmt = code as u8,
            (_, Some(code)) => mods.nfmt = code as u8,
            _ => return fail(&start, format_args!("`{name}` is not a buffer format")),
        }
        if !lex.mark(b',') {
            break;
        }
    }
    expect(lex, b']', "after a format")
}
