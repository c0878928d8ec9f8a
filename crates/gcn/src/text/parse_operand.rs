//! Parsing of operands: registers, constants, and the modifiers around them.

use super::failure::{Failure, fail};
use super::lex::{Lexer, Located, Location, Token};
use super::names::{INLINE_FLOATS, INV_2PI_BITS, M0, SPECIAL_SOURCES, first_ttmp, register_pairs};
use crate::generation::Generation;
use crate::inst::Operand;
use crate::tables::Ty;

/// An operand as it was written.
#[derive(Clone, Copy, Default)]
pub(super) struct Written {
    pub operand: Operand,
    /// The number of registers that the operand names; 0 if it is not a register.
    pub registers: u8,
    pub neg: bool,
    pub abs: bool,
    pub sext: bool,
    /// Whether the operand is a number with a point or an exponent.
    pub float: bool,
}

impl Written {
    /// A missing operand, or one without registers and signs.
    pub(super) const NOTHING: Written = Written {
        operand: Operand::None,
        registers: 0,
        neg: false,
        abs: false,
        sext: false,
        float: false,
    };
}

/// Parses a source: registers or a constant, with neg, abs and sext.
#[inline(always)]
pub(super) fn source(
    lex: &mut Lexer<'_>,
    ty: Ty,
    generation: Generation,
) -> Result<Written, Failure> {
    match plain_registers(lex, generation) {
        Some(written) => Ok(written),
        None => within(lex, ty, generation, 0),
    }
}

/// Reads registers in the most common notation. Unusual or wrong text is left to [`within`].
#[inline]
fn plain_registers(lex: &mut Lexer<'_>, generation: Generation) -> Option<Written> {
    let named = lex.registers()?;
    let limit = match named.file {
        b'v' | b'a' => 256,
        b's' => scalar_limit(generation),
        _ => return None,
    };
    if named.first > named.last || named.last >= limit {
        return None;
    }
    let registers = u8::try_from(named.last - named.first + 1).ok()?;
    let code = named.first as u8;
    let operand = match named.file {
        b'v' => Operand::Vgpr(code),
        b'a' => Operand::Agpr(code),
        _ if code.is_multiple_of(alignment(registers)) => Operand::Sgpr(code),
        _ => return None,
    };
    lex.take(&named);
    Some(Written {
        operand,
        registers,
        ..Written::NOTHING
    })
}

/// Returns the number of numbered scalar registers.
fn scalar_limit(generation: Generation) -> u32 {
    if generation < Generation::Gfx8 {
        104
    } else {
        102
    }
}

/// Reads a source inside of `depth` modifiers that have been read. Only an absolute value can be nested, in a negation.
fn within(
    lex: &mut Lexer<'_>,
    ty: Ty,
    generation: Generation,
    depth: u8,
) -> Result<Written, Failure> {
    if depth > 2 {
        return fail(lex, "too many modifiers stand around this");
    }
    match lex.peek() {
        Token::Integer(_) | Token::Float(_) => number(lex, ty, generation),
        Token::Mark(b'-') => negative(lex, ty, generation, depth),
        Token::Mark(b'|') => {
            lex.next();
            let inside = lex.location();
            let mut written = within(lex, ty, generation, depth + 1)?;
            if written.neg || written.abs || written.sext {
                return fail(&inside, "this cannot stand within `|…|`");
            }
            expect(lex, b'|', "after an absolute value")?;
            written.abs = true;
            Ok(written)
        }
        Token::Word("neg" | "abs" | "sext") => call(lex, ty, generation, depth),
        Token::Word("lit") => lit(lex, ty, generation),
        _ => register(lex, generation),
    }
}

/// Reads `neg(…)`, `abs(…)`, `sext(…)`.
fn call(
    lex: &mut Lexer<'_>,
    ty: Ty,
    generation: Generation,
    depth: u8,
) -> Result<Written, Failure> {
    let mut ahead = *lex;
    let Token::Word(word) = ahead.next() else {
        return register(lex, generation);
    };
    if !ahead.mark(b'(') {
        return register(lex, generation);
    }
    *lex = ahead;
    let mut written = within(lex, ty, generation, depth + 1)?;
    // Negation is outermost, and extension cannot be combined.
    if written.neg || written.sext || written.abs && word != "neg" {
        return fail(&ahead, format_args!("this cannot stand within `{word}`"));
    }
    expect(lex, b')', "after what is modified")?;
    match word {
        "neg" => written.neg = true,
        "abs" => written.abs = true,
        _ => written.sext = true,
    }
    Ok(written)
}

/// Reads `lit(…)` around a number, which means the same as the number.
fn lit(lex: &mut Lexer<'_>, ty: Ty, generation: Generation) -> Result<Written, Failure> {
    let mut ahead = *lex;
    ahead.next();
    if !ahead.mark(b'(') {
        return register(lex, generation);
    }
    *lex = ahead;
    let written = number(lex, ty, generation)?;
    expect(lex, b')', "after the number")?;
    Ok(written)
}

/// Reads a negative number, or a negated operand.
fn negative(
    lex: &mut Lexer<'_>,
    ty: Ty,
    generation: Generation,
    depth: u8,
) -> Result<Written, Failure> {
    let mut inside = *lex;
    inside.next();
    if let Token::Integer(_) | Token::Float(_) = inside.peek() {
        return number(lex, ty, generation);
    }
    *lex = inside;
    let mut written = within(lex, ty, generation, depth + 1)?;
    let again = matches!(inside.peek(), Token::Mark(b'-') | Token::Word("lit"));
    if written.neg || written.sext || again {
        return fail(&inside, "an operand is negated once");
    }
    written.neg = true;
    Ok(written)
}

pub(super) fn expect(lex: &mut Lexer<'_>, mark: u8, place: &str) -> Result<(), Failure> {
    if lex.mark(mark) {
        return Ok(());
    }
    fail(lex, format_args!("expected `{}` {place}", mark as char))
}

/// Parses a register or a span of registers, or a special source.
pub(super) fn register(lex: &mut Lexer<'_>, generation: Generation) -> Result<Written, Failure> {
    let start = lex.location();
    if lex.mark(b'[') {
        return list(lex, start, generation);
    }
    let Token::Word(word) = lex.next() else {
        return fail(&start, "expected a register or a number");
    };
    if word == "off" {
        return Ok(Written {
            operand: Operand::Off,
            ..Written::NOTHING
        });
    }
    let found = |operand, registers| {
        Ok(Written {
            operand,
            registers,
            ..Written::NOTHING
        })
    };
    if word == "m0" {
        return found(Operand::Sgpr(M0), 1);
    }
    for (code, name) in register_pairs(generation) {
        if let Some(half) = word.strip_prefix(name) {
            match half {
                "" => return found(Operand::Sgpr(*code), 2),
                "_lo" => return found(Operand::Sgpr(*code), 1),
                "_hi" => return found(Operand::Sgpr(code + 1), 1),
                _ => {}
            }
        }
    }
    let plain = word.strip_prefix("src_").unwrap_or(word);
    let special = SPECIAL_SOURCES
        .iter()
        .find(|(_, n)| n.strip_prefix("src_") == Some(plain));
    if let Some((code, _)) = special {
        let aperture = (235..=239).contains(code);
        if aperture && generation != Generation::Gfx9 {
            return fail(&start, format_args!("`{word}` exists from gfx9 on"));
        }
        return found(Operand::Inline(*code), 0);
    }
    numbered(lex, start, word, generation)
}

/// Reads `v5`, `s[0:3]`, `ttmp[4:7]`.
fn numbered(
    lex: &mut Lexer<'_>,
    start: Location,
    word: &str,
    generation: Generation,
) -> Result<Written, Failure> {
    let digits = word
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(word.len());
    let (file, number) = word.split_at(digits);
    if !matches!(file, "v" | "s" | "ttmp" | "a" | "acc") {
        return fail(&start, format_args!("`{word}` is not a register"));
    }
    let (first, last) = if number.is_empty() {
        expect(lex, b'[', "after the name of a register file")?;
        let first = index(lex)?;
        let last = if lex.mark(b':') { index(lex)? } else { first };
        expect(lex, b']', "after the registers")?;
        (first, last)
    } else {
        match number.parse::<u32>() {
            Ok(n) => (n, n),
            Err(_) => return fail(&start, format_args!("`{word}` is not a register")),
        }
    };
    let all = spanned(start, file, first, last, generation);
    all.map_err(|mut failure| {
        failure.span.end = lex.position().max(failure.span.end);
        failure
    })
}

/// Reads the number of a register, which may be an expression: `63/8+1`.
fn index(lex: &mut Lexer<'_>) -> Result<u32, Failure> {
    let start = lex.location();
    let sum = sum(lex).filter(|n| (0..1 << 16).contains(n));
    sum.map_or_else(
        || fail(&start, "expected the number of a register"),
        |n| Ok(n as u32),
    )
}

fn sum(lex: &mut Lexer<'_>) -> Option<i64> {
    let mut value = product(lex)?;
    loop {
        if lex.mark(b'+') {
            value = value.checked_add(product(lex)?)?;
        } else if lex.mark(b'-') {
            value = value.checked_sub(product(lex)?)?;
        } else {
            return Some(value);
        }
    }
}

fn product(lex: &mut Lexer<'_>) -> Option<i64> {
    let mut value = lex.integer()?;
    loop {
        if lex.mark(b'*') {
            value = value.checked_mul(lex.integer()?)?;
        } else if lex.mark(b'/') {
            value = value.checked_div(lex.integer()?)?;
        } else {
            return Some(value);
        }
    }
}

fn spanned(
    start: Location,
    file: &str,
    first: u32,
    last: u32,
    generation: Generation,
) -> Result<Written, Failure> {
    let ttmp = u32::from(first_ttmp(generation));
    let (base, limit) = match file {
        "v" | "a" | "acc" => (0, 256),
        "ttmp" => (ttmp, u32::from(M0) - ttmp),
        _ => (0, scalar_limit(generation)),
    };
    if last < first {
        return fail(
            &start,
            format_args!("the registers {first} to {last} run backwards"),
        );
    }
    if last >= limit {
        let most = limit - 1;
        return fail(
            &start,
            format_args!("{file}{last} is out of range: the last is {file}{most}"),
        );
    }
    let registers = (last - first + 1).min(255) as u8;
    let code = (base + first) as u8;
    let operand = match file {
        "v" => Operand::Vgpr(code),
        "a" | "acc" => Operand::Agpr(code),
        _ => Operand::Sgpr(code),
    };
    let needed = alignment(registers);
    if let (Operand::Sgpr(_), false) = (operand, code.is_multiple_of(needed)) {
        return fail(
            &start,
            format_args!("{registers} scalar registers begin at a multiple of {needed}"),
        );
    }
    Ok(Written {
        operand,
        registers,
        ..Written::NOTHING
    })
}

/// Returns the alignment of the first of `registers` scalar registers.
fn alignment(registers: u8) -> u8 {
    registers.min(4).next_power_of_two()
}

/// Reads the registers of a list entry, which cannot be a list itself.
fn element(lex: &mut Lexer<'_>, generation: Generation) -> Result<Written, Failure> {
    if lex.clone().mark(b'[') {
        return fail(lex, "a list of registers holds no lists");
    }
    register(lex, generation)
}

/// Reads a list of registers: `[s0,s1,s2,s3]`.
fn list(lex: &mut Lexer<'_>, start: Location, generation: Generation) -> Result<Written, Failure> {
    let mut all = element(lex, generation)?;
    while lex.mark(b',') {
        let next = element(lex, generation)?;
        let follows = match (all.operand, next.operand) {
            (Operand::Sgpr(a), Operand::Sgpr(b))
            | (Operand::Vgpr(a), Operand::Vgpr(b))
            | (Operand::Agpr(a), Operand::Agpr(b)) => {
                u32::from(a) + u32::from(all.registers) == u32::from(b)
            }
            _ => false,
        };
        if !follows {
            return fail(&start, "the registers of a list must follow one another");
        }
        let Some(registers) = all.registers.checked_add(next.registers) else {
            return fail(&start, "the list has too many registers");
        };
        all.registers = registers;
    }
    expect(lex, b']', "after a list of registers")?;
    if let Operand::Sgpr(code) = all.operand
        && !code.is_multiple_of(alignment(all.registers))
    {
        return fail(
            &start,
            "a list of scalar registers begins at an even multiple",
        );
    }
    Ok(all)
}

/// Reads a constant, and whether it was written as a float.
fn number(lex: &mut Lexer<'_>, ty: Ty, generation: Generation) -> Result<Written, Failure> {
    let mut unsigned = *lex;
    unsigned.mark(b'-');
    let float = matches!(unsigned.peek(), Token::Float(_));
    Ok(Written {
        operand: constant(lex, ty, generation)?,
        float,
        ..Written::NOTHING
    })
}

/// Parses a number as an operand of a type, inline if possible.
pub(super) fn constant(
    lex: &mut Lexer<'_>,
    ty: Ty,
    generation: Generation,
) -> Result<Operand, Failure> {
    let start = lex.location();
    let negative = lex.mark(b'-');
    match lex.next() {
        Token::Integer(value) => integer(value, negative, ty, generation)
            .ok_or(())
            .or_else(|()| fail(&start, "the number does not fit the operand")),
        Token::Float(value) => float(if negative { -value } else { value }, ty, generation)
            .ok_or(())
            .or_else(|()| fail(&start, "the number does not fit the operand")),
        _ => fail(&start, "expected a number"),
    }
}

fn inline_floats(
    generation: Generation,
) -> impl Iterator<Item = &'static super::names::InlineFloat> {
    let count = if generation < Generation::Gfx8 { 8 } else { 9 };
    INLINE_FLOATS[..count].iter()
}

/// Returns the inline constant that has these 64 bits.
pub(super) fn inline64(value: u64, generation: Generation) -> Option<u8> {
    if value <= 64 {
        return Some(128 + value as u8);
    }
    let found = inline_floats(generation).find(|f| bits64(f) == value);
    found.map(|f| f.code)
}

/// Returns the 64 bits of an inline float.
fn bits64(f: &super::names::InlineFloat) -> u64 {
    match f.code {
        248 => INV_2PI_BITS,
        _ => f64::from(f32::from_bits(f.f32)).to_bits(),
    }
}

fn integer(value: u64, negative: bool, ty: Ty, generation: Generation) -> Option<Operand> {
    let signed = if negative {
        (value as i64).wrapping_neg()
    } else {
        value as i64
    };
    if negative && value > 1 << 63 {
        return None;
    }
    let small = |v: i64| match v {
        0..=64 => Some(Operand::Inline(128 + v as u8)),
        -16..=-1 => Some(Operand::Inline((192 - v) as u8)),
        _ => None,
    };
    if let Some(inline) = small(signed) {
        return Some(inline);
    }
    let fits = |bits: u32| signed >= -(1i64 << (bits - 1)) && (negative || value >> bits == 0);
    match ty.constant_dwords() {
        2 => {
            let float = inline_floats(generation).find(|f| bits64(f) == signed as u64);
            if let Some(f) = float {
                return Some(Operand::Inline(f.code));
            }
            fits(32).then_some(Operand::Literal(signed as u32))
        }
        1 if matches!(ty, Ty::Bf16 | Ty::V2Bf16) => {
            let bits = if ty == Ty::Bf16 { 16 } else { 32 };
            if !fits(bits) {
                return None;
            }
            if let Some(inline) = small(signed) {
                return Some(inline);
            }
            let mask = u32::MAX >> (32 - bits);
            let value = signed as u32 & mask;
            let float = inline_floats(generation).find(|f| f.f32 >> 16 == value);
            Some(float.map_or(Operand::Literal(value), |f| Operand::Inline(f.code)))
        }
        // Inline floats of packed 16-bit integers have 32 bits.
        _ if is_half(ty) && (is_float16(ty) || !is_packed(ty)) => {
            if is_packed(ty)
                && fits(32)
                && let Some(inline) = small(i64::from(signed as i32))
            {
                return Some(inline);
            }
            if !fits(16) {
                // Both halves, in forms with room for a literal.
                return (ty == Ty::V2F16 && fits(32)).then_some(Operand::Literal(signed as u32));
            }
            let wraps = is_float16(ty) && !is_packed(ty);
            if let Some(inline) = small(i64::from(signed as i16)).filter(|_| wraps) {
                return Some(inline);
            }
            let float = inline_floats(generation).find(|f| f.f16 == signed as u16);
            let literal = Operand::Literal(u32::from(signed as u16));
            Some(
                float
                    .filter(|_| is_float16(ty))
                    .map_or(literal, |f| Operand::Inline(f.code)),
            )
        }
        _ => {
            if !fits(32) {
                return None;
            }
            if let Some(inline) = small(i64::from(signed as i32)) {
                return Some(inline);
            }
            let float = inline_floats(generation).find(|f| f.f32 == signed as u32);
            Some(float.map_or(Operand::Literal(signed as u32), |f| Operand::Inline(f.code)))
        }
    }
}

fn is_half(ty: Ty) -> bool {
    matches!(
        ty,
        Ty::F16
            | Ty::Bf16
            | Ty::I16
            | Ty::U16
            | Ty::B16
            | Ty::V2F16
            | Ty::V2Bf16
            | Ty::V2I16
            | Ty::V2U16
    )
}

fn is_packed(ty: Ty) -> bool {
    matches!(ty, Ty::V2F16 | Ty::V2I16 | Ty::V2U16)
}

fn is_float16(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::V2F16)
}

fn float(value: f64, ty: Ty, generation: Generation) -> Option<Operand> {
    if value == 0.0 && value.is_sign_positive() {
        return Some(Operand::Inline(128));
    }
    let inline = |same: &dyn Fn(&super::names::InlineFloat) -> bool| {
        let found = inline_floats(generation).find(|f| same(f));
        found.map(|f| Operand::Inline(f.code))
    };
    if ty.constant_dwords() == 2 {
        // The high half of a double; 64-bit integers have no such literal.
        let literal = (ty == Ty::F64).then_some(Operand::Literal((value.to_bits() >> 32) as u32));
        return inline(&|f| bits64(f) == value.to_bits()).or(literal);
    }
    // Rounding must give neither infinity nor zero.
    let as_half = || half(value).filter(|bits| bits & 0x7fff != 0 || value == 0.0);
    if is_float16(ty) {
        let bits = as_half()?;
        return inline(&|f| f.f16 == bits).or(Some(Operand::Literal(bits.into())));
    }
    if matches!(ty, Ty::Bf16 | Ty::V2Bf16) {
        let bits = bfloat(value)?;
        return inline(&|f| f.f32 >> 16 == u32::from(bits)).or(Some(Operand::Literal(bits.into())));
    }
    let narrow = value as f32;
    if !narrow.is_finite() || narrow == 0.0 && value != 0.0 {
        return None;
    }
    let bits = narrow.to_bits();
    match inline(&|f| f.f32 == bits) {
        Some(operand) => Some(operand),
        None if is_half(ty) => as_half().map(|h| Operand::Literal(h.into())),
        None => Some(Operand::Literal(bits)),
    }
}

/// Returns a constant with its sign changed beforehand, for a short form without bits for it; `None` if the operand is not a
/// constant of one dword.
pub(super) fn with_sign(
    operand: Operand,
    ty: Ty,
    (neg, abs): (bool, bool),
    generation: Generation,
) -> Option<Operand> {
    let float = |code| inline_floats(generation).find(|f| f.code == code);
    let bits = match operand {
        Operand::Inline(code @ 128..=192) => u64::from(code) - 128,
        Operand::Inline(code @ 193..=208) => 192u64.wrapping_sub(code.into()),
        Operand::Inline(code) if ty.constant_dwords() == 2 => bits64(float(code)?),
        Operand::Inline(code) if is_float16(ty) => float(code)?.f16.into(),
        Operand::Inline(code) => float(code)?.f32.into(),
        Operand::Literal(value) if ty.constant_dwords() == 2 => u64::from(value) << 32,
        Operand::Literal(value) => value.into(),
        _ => return None,
    };
    let width = match ty.constant_dwords() {
        2 => 64,
        _ if is_half(ty) => 16,
        _ => 32,
    };
    let sign = 1u64 << (width - 1);
    let mut bits = bits & (u64::MAX >> (64 - width));
    if abs {
        bits &= !sign;
    }
    if neg {
        bits ^= sign;
    }
    match ty.constant_dwords() {
        2 => match inline64(bits, generation) {
            Some(code) => Some(Operand::Inline(code)),
            None => Some(Operand::Literal((bits >> 32) as u32)),
        },
        _ => integer(bits, false, ty, generation),
    }
}

/// Rounds a number to the upper half of a single, ties to even; `None` beyond its range.
fn bfloat(value: f64) -> Option<u16> {
    let bits = (value as f32).to_bits();
    let rounded = bits.checked_add(0x7fff + (bits >> 16 & 1))? >> 16;
    let finite = rounded & 0x7f80 != 0x7f80;
    (finite && (rounded & 0x7fff != 0 || value == 0.0)).then_some(rounded as u16)
}

/// Rounds a number to half precision, ties to even; `None` beyond its range.
pub fn half(value: f64) -> Option<u16> {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let magnitude = value.abs();
    if magnitude >= 65520.0 {
        return None;
    }
    if magnitude < 2f64.powi(-14) {
        return Some(sign | (magnitude * 2f64.powi(24)).round_ties_even() as u16);
    }
    let exponent = magnitude.log2().floor() as i32;
    let mantissa = (magnitude / 2f64.powi(exponent - 10)).round_ties_even() as u16;
    // A mantissa that rounds up to 2048 carries into the exponent.
    let exponent = ((exponent + 14) as u16) << 10;
    Some(sign | (exponent + mantissa))
}
