//! Parsing of sources: registers, constants, and the modifiers around them.

use super::super::failure::{Failure, fail};
use super::super::lex::{Lexer, Token};
use super::super::names::{INLINE_FLOATS, INV_2PI_BITS, M0, SPECIAL_SOURCES, first_ttmp};
use super::super::parse_operand::{Written, expect, half, register};
use super::expr::{self, begins};
use crate::generation::Generation;
use crate::inst::Operand;
use crate::tables::Ty;

/// Limit of nesting: sign, absolute value and extension, once each.
const DEPTH: u8 = 3;

/// Parses a source with the modifiers around it.
pub(super) fn source(
    lex: &mut Lexer<'_>,
    ty: Ty,
    generation: Generation,
) -> Result<Written, Failure> {
    modified(lex, ty, generation, 0)
}

/// Parses a source within up to `depth` modifiers.
fn modified(
    lex: &mut Lexer<'_>,
    ty: Ty,
    generation: Generation,
    depth: u8,
) -> Result<Written, Failure> {
    if depth > DEPTH {
        return fail(lex, "too many modifiers stand around this");
    }
    let start = *lex;
    let mut ahead = *lex;
    let apply: fn(&mut Written) -> bool = match ahead.next() {
        Token::Word("abs") if ahead.mark(b'(') => |w| std::mem::replace(&mut w.abs, true),
        Token::Word("neg") if ahead.mark(b'(') => |w| std::mem::replace(&mut w.neg, true),
        Token::Word("sext") if ahead.mark(b'(') => |w| std::mem::replace(&mut w.sext, true),
        Token::Mark(b'|') => {
            let mut written = modified(&mut ahead, ty, generation, depth + 1)?;
            expect(&mut ahead, b'|', "after an absolute value")?;
            *lex = ahead;
            written.abs = true;
            return Ok(written);
        }
        Token::Mark(b'-') if !is_number(&ahead) => {
            *lex = ahead;
            let mut written = modified(lex, ty, generation, depth + 1)?;
            if std::mem::replace(&mut written.neg, true) {
                return fail(&start, "an operand is negated once");
            }
            return Ok(written);
        }
        _ => return plain(lex, ty, generation),
    };
    let mut written = modified(&mut ahead, ty, generation, depth + 1)?;
    expect(&mut ahead, b')', "after what is modified")?;
    *lex = ahead;
    if apply(&mut written) {
        return fail(&start, "a modifier stands here twice");
    }
    Ok(written)
}

/// Parses a number, a literal or a register.
fn plain(lex: &mut Lexer<'_>, ty: Ty, generation: Generation) -> Result<Written, Failure> {
    let operand = if let Some(value) = forced(lex, ty)? {
        Operand::Literal(value)
    } else if is_number(lex) {
        constant(lex, ty, generation)?
    } else if let Some(code) = special(lex) {
        Operand::Inline(code)
    } else {
        return registers(lex, generation);
    };
    Ok(Written {
        operand,
        ..Written::default()
    })
}

/// Parses a register or a span: `v5`, `s[2:3]`, `vcc`. Scalar registers may be given by number even if they have, or had, another
/// name.
fn registers(lex: &mut Lexer<'_>, generation: Generation) -> Result<Written, Failure> {
    let start = *lex;
    let mut ahead = *lex;
    let file = match ahead.next() {
        Token::Word("m0") => {
            *lex = ahead;
            // M0 has no number, and stands for as many registers as needed.
            return Ok(Written {
                operand: Operand::Sgpr(M0),
                ..Written::default()
            });
        }
        Token::Word(file @ ("v" | "s" | "ttmp")) => file,
        Token::Word(word) => match word.strip_prefix('s').map(str::parse::<u8>) {
            Some(Ok(number @ 102..128)) => {
                *lex = ahead;
                return Ok(scalar(number, 1));
            }
            _ => return register(lex, generation),
        },
        _ => return register(lex, generation),
    };
    expect(&mut ahead, b'[', "after the name of a register file")?;
    let (base, limit) = match file {
        "v" => (0, 255),
        "s" => (0, 127),
        _ => (
            first_ttmp(generation),
            127 - i64::from(first_ttmp(generation)),
        ),
    };
    let first = expr::within(&mut ahead, 0, limit)?;
    let last = if ahead.mark(b':') {
        // A scalar span at the end of the file may extend beyond it.
        expr::within(&mut ahead, first, (limit + 15).min(255))?
    } else {
        first
    };
    expect(&mut ahead, b']', "after the registers")?;
    *lex = ahead;
    let count = (last - first + 1).min(255) as u8;
    if file == "v" {
        return Ok(Written {
            operand: Operand::Vgpr(first as u8),
            registers: count,
            ..Written::default()
        });
    }
    let code = base + first as u8;
    let needed = count.min(4).next_power_of_two();
    if !code.is_multiple_of(needed) {
        let message = format!("{count} scalar registers begin at a multiple of {needed}");
        return fail(&start, message);
    }
    Ok(scalar(code, count))
}

fn scalar(code: u8, registers: u8) -> Written {
    Written {
        operand: Operand::Sgpr(code),
        registers,
        ..Written::default()
    }
}

/// Takes the name of a source that is not a register: `vccz`, `lds`; `ill_248` is a code without a name. Before gfx9 the codes of
/// apertures are reserved, but keep their names.
fn special(lex: &mut Lexer<'_>) -> Option<u8> {
    let mut ahead = *lex;
    let Token::Word(word) = ahead.next() else {
        return None;
    };
    let plain = word.strip_prefix("src_").unwrap_or(word);
    let nameless = plain.strip_prefix("ill_").map(str::parse);
    let known = SPECIAL_SOURCES
        .iter()
        .find(|(_, name)| name.strip_prefix("src_") == Some(plain));
    let code = match known {
        Some((code, _)) => *code,
        None if plain == "lds" => 254,
        None => nameless?.ok().filter(|code| (209..=254).contains(code))?,
    };
    *lex = ahead;
    Some(code)
}

/// Returns whether a float, or an expression of integers, is next.
fn is_number(lex: &Lexer<'_>) -> bool {
    let mut ahead = *lex;
    ahead.mark(b'-');
    float(ahead.peek()).is_some() || begins(lex)
}

/// Returns the value of a float; `.5` is one, too.
fn float(token: Token<'_>) -> Option<f64> {
    match token {
        Token::Float(value) => Some(value),
        Token::Word(word) if word.starts_with('.') => word.parse().ok(),
        _ => None,
    }
}

/// Reads `lit(5)`, a literal even if the value has an inline form.
pub(super) fn forced(lex: &mut Lexer<'_>, ty: Ty) -> Result<Option<u32>, Failure> {
    let mut ahead = *lex;
    if !(ahead.word("lit") && ahead.mark(b'(')) {
        return Ok(None);
    }
    let bits = match number(&mut ahead, ty)? {
        Number::Float(float) => float.literal(),
        Number::Integer(value) => value as u32,
    };
    expect(&mut ahead, b')', "after a literal")?;
    *lex = ahead;
    Ok(Some(bits))
}

/// Reads a literal that is always present, even if its value has an inline form.
pub(super) fn literal(lex: &mut Lexer<'_>, ty: Ty) -> Result<u32, Failure> {
    if let Some(bits) = forced(lex, ty)? {
        return Ok(bits);
    }
    Ok(match number(lex, ty)? {
        Number::Float(float) => float.literal(),
        Number::Integer(value) => value as u32,
    })
}

/// Reads a number, inline if its value has an inline form: integers from −16 to 64, and floats that are written as floats.
fn constant(lex: &mut Lexer<'_>, ty: Ty, generation: Generation) -> Result<Operand, Failure> {
    Ok(match number(lex, ty)? {
        Number::Float(float) => float.operand(generation),
        Number::Integer(value @ 0..=64) => Operand::Inline(128 + value as u8),
        Number::Integer(value @ -16..=-1) => Operand::Inline((192 - value) as u8),
        Number::Integer(value) => Operand::Literal(value as u32),
    })
}

/// A number as it was written.
enum Number {
    Float(Float),
    /// An integer from −2^31 to 2^32 − 1.
    Integer(i64),
}

fn number(lex: &mut Lexer<'_>, ty: Ty) -> Result<Number, Failure> {
    let start = *lex;
    let mut ahead = *lex;
    let negative = ahead.mark(b'-');
    let end = ahead.span().end;
    let Some(value) = float(ahead.next()) else {
        return expr::within(lex, -0x8000_0000, 0xffff_ffff).map(Number::Integer);
    };
    let value = if negative { -value } else { value };
    // A letter directly after the number gives its precision.
    let mut suffix = ahead;
    let adjacent = suffix.position() == end;
    let precision = match (adjacent, suffix.next()) {
        (true, Token::Word("h")) => Some(Precision::Half),
        (true, Token::Word("s")) => Some(Precision::Single),
        (true, Token::Word("l")) => Some(Precision::Double),
        _ => None,
    };
    *lex = if precision.is_some() { suffix } else { ahead };
    match Float::new(value, precision.unwrap_or(Precision::of(ty))) {
        Some(float) => Ok(Number::Float(float)),
        None => fail(&start, "the number is too large for the operand"),
    }
}

#[derive(Clone, Copy)]
enum Precision {
    Half,
    Single,
    Double,
}

impl Precision {
    fn of(ty: Ty) -> Precision {
        match ty {
            Ty::F16 | Ty::V2F16 => Precision::Half,
            Ty::F64 => Precision::Double,
            _ => Precision::Single,
        }
    }
}

/// A float in the precision of its operand.
enum Float {
    Half(u16),
    Single(u32),
    Double(u64),
}

impl Float {
    /// Rounds a value to a precision; `None` if it becomes infinite.
    fn new(value: f64, precision: Precision) -> Option<Float> {
        match precision {
            Precision::Half => half(value).map(Float::Half),
            Precision::Single => {
                let narrow = value as f32;
                narrow.is_finite().then(|| Float::Single(narrow.to_bits()))
            }
            Precision::Double => value.is_finite().then(|| Float::Double(value.to_bits())),
        }
    }

    /// Returns the 32 bits of a literal; for a double, its upper half, rounded to even.
    fn literal(&self) -> u32 {
        match *self {
            Float::Half(bits) => bits.into(),
            Float::Single(bits) => bits,
            Float::Double(bits) => {
                let (high, low) = ((bits >> 32) as u32, bits as u32);
                let up = low > 0x8000_0000 || low == 0x8000_0000 && high & 1 != 0;
                high + u32::from(up)
            }
        }
    }

    fn operand(&self, generation: Generation) -> Operand {
        let zero = match *self {
            Float::Half(bits) => bits == 0,
            Float::Single(bits) => bits == 0,
            Float::Double(bits) => bits == 0,
        };
        if zero {
            return Operand::Inline(128);
        }
        // gfx6 and gfx7 have no 1/(2π).
        let count = if generation < Generation::Gfx8 { 8 } else { 9 };
        let inline = INLINE_FLOATS[..count].iter().find(|f| match *self {
            Float::Half(bits) => bits == f.f16,
            Float::Single(bits) => bits == f.f32,
            Float::Double(bits) if f.code == 248 => bits == INV_2PI_BITS,
            Float::Double(bits) => bits == f64::from(f32::from_bits(f.f32)).to_bits(),
        });
        inline.map_or(Operand::Literal(self.literal()), |f| {
            Operand::Inline(f.code)
        })
    }
}
