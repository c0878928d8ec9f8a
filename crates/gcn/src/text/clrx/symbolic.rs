//! Parsing of immediates with a notation of their own, in CLRX's syntax.

use super::super::failure::{Failure, fail};
use super::super::lex::{Lexer, Token};
use super::super::parse_operand::expect;
use super::super::parse_symbolic;
use super::expr::{self, begins};
use super::names::{HWREGS, MESSAGE_OPS, MESSAGES};
use crate::generation::{Chip, Generation};
use crate::tables::Kind;
use crate::waitcnt::WaitCounter;

/// Parses an immediate operand of a kind, for an instruction at `address`.
pub(super) fn immediate(
    lex: &mut Lexer<'_>,
    kind: Kind,
    chip: Chip,
    address: u64,
) -> Result<i32, Failure> {
    let generation = chip.generation();
    match kind {
        Kind::Target => target(lex, address),
        Kind::Hwreg if lex.word("hwreg") => hwreg(lex, generation),
        Kind::Sendmsg if lex.word("sendmsg") => sendmsg(lex, generation),
        Kind::Waitcnt if !begins(lex) => waitcnt(lex, generation),
        Kind::Attr => attr(lex),
        Kind::Param | Kind::ExportTarget => match reserved(lex) {
            Some(code) => Ok(code),
            None => parse_symbolic::immediate(lex, kind, chip),
        },
        Kind::Probe => expr::within(lex, 0, 255).map(|n| n as i32),
        // 16 bits, signed or not, kept sign-extended.
        _ => expr::within(lex, -0x8000, 0xffff).map(|n| i32::from(n as u16 as i16)),
    }
}

/// Reads `invalid_7`, a code that names nothing.
fn reserved(lex: &mut Lexer<'_>) -> Option<i32> {
    let mut ahead = *lex;
    let Token::Word(word) = ahead.next() else {
        return None;
    };
    let code = word.strip_prefix("invalid_")?.parse::<u16>().ok()?;
    *lex = ahead;
    Some(code.into())
}

/// Reads `attr3.z`; the field has room for 64 attributes.
fn attr(lex: &mut Lexer<'_>) -> Result<i32, Failure> {
    let start = *lex;
    let Token::Word(word) = lex.next() else {
        return fail(&start, "expected an attribute, such as attr0.x");
    };
    let parts = word.strip_prefix("attr").and_then(|w| w.split_once('.'));
    let code = parts.and_then(|(number, channel)| {
        let channel = ["x", "y", "z", "w"].iter().position(|c| *c == channel)?;
        let number = number.parse::<i32>().ok().filter(|n| (0..64).contains(n))?;
        Some(4 * number + channel as i32)
    });
    match code {
        Some(code) => Ok(code),
        None => fail(
            &start,
            format_args!("`{word}` is not an attribute from attr0.x to attr63.w"),
        ),
    }
}

/// Reads the target of a branch: an address in the code, as a number or as a label that contains it (`.L168` or, with the number
/// of its section, `.L168_0`).
fn target(lex: &mut Lexer<'_>, address: u64) -> Result<i32, Failure> {
    let start = *lex;
    let target = match lex.peek() {
        Token::Word(label) => {
            lex.next();
            let digits = label.strip_prefix(".l").unwrap_or_default();
            let digits = digits.split('_').next().unwrap_or_default();
            match digits.parse::<i64>() {
                Ok(target) => target,
                Err(_) => {
                    return fail(
                        &start,
                        format_args!("`{label}` is not an address in the code"),
                    );
                }
            }
        }
        _ => expr::expression(lex)?,
    };
    let distance = target.wrapping_sub(address as i64).wrapping_sub(4);
    if distance % 4 != 0 {
        return fail(&start, "the target is not aligned to 4 bytes");
    }
    match i16::try_from(distance / 4) {
        Ok(words) => Ok(words.into()),
        Err(_) => fail(
            &start,
            format_args!("the target is {distance} bytes away; a branch reaches -131072 to 131068"),
        ),
    }
}

/// Reads the counters to wait for.
fn waitcnt(lex: &mut Lexer<'_>, generation: Generation) -> Result<i32, Failure> {
    let counters = WaitCounter::all(generation);
    let mut word = counters.iter().fold(0, |word, c| c.set(word, c.max()));
    loop {
        let start = *lex;
        let name = match lex.next() {
            Token::Word(word) => word,
            _ => "",
        };
        let Some(counter) = counters.iter().find(|c| c.name == name) else {
            return fail(&start, "expected vmcnt, expcnt or lgkmcnt");
        };
        expect(lex, b'(', "after a counter")?;
        let value = expr::within(lex, 0, counter.max().into())?;
        expect(lex, b')', "after the value of a counter")?;
        word = counter.set(word, value as u16);
        let separated = lex.mark(b'&') || lex.mark(b',');
        if !separated && lex.peek() == Token::End {
            // The immediate is 16 bits, kept sign-extended.
            return Ok(i32::from(word as i16));
        }
    }
}

/// Reads a name of a table, with or without one of the prefixes, or a number.
fn code(
    lex: &mut Lexer<'_>,
    prefixes: &[&str],
    find: impl Fn(&str) -> Option<u8>,
    max: i64,
    what: &str,
) -> Result<i32, Failure> {
    let start = *lex;
    if let Token::Word(word) = lex.peek() {
        lex.next();
        let plain = prefixes.iter().find_map(|p| word.strip_prefix(p));
        return match find(plain.unwrap_or(word)) {
            Some(code) => Ok(code.into()),
            None => fail(
                &start,
                format_args!("`{word}` is not a known {what} of this generation"),
            ),
        };
    }
    expr::within(lex, 0, max).map(|n| n as i32)
}

/// Reads `hwreg(mode, 0, 4)`, also with LLVM's names.
fn hwreg(lex: &mut Lexer<'_>, generation: Generation) -> Result<i32, Failure> {
    expect(lex, b'(', "after hwreg")?;
    let find = |name: &str| {
        HWREGS
            .iter()
            .find(|(_, known, since)| {
                let short = known.strip_prefix("sq_shader_");
                *since <= generation && (*known == name || short == Some(name))
            })
            .map(|r| r.0)
    };
    let prefixes = ["hwreg_", "hw_reg_"];
    let id = code(lex, &prefixes, find, 63, "hardware register")?;
    let (mut offset, mut size) = (0, 32);
    if lex.mark(b',') {
        offset = expr::within(lex, 0, 31)? as i32;
        expect(lex, b',', "before the size of the field")?;
        size = expr::within(lex, 1, 32)? as i32;
    }
    expect(lex, b')', "after the field")?;
    let word = id | offset << 6 | (size - 1) << 11;
    Ok(i32::from(word as u16 as i16))
}

/// Reads `sendmsg(gs, emit, 1)`, also with LLVM's names.
fn sendmsg(lex: &mut Lexer<'_>, generation: Generation) -> Result<i32, Failure> {
    expect(lex, b'(', "after sendmsg")?;
    let message = |name: &str| {
        MESSAGES
            .iter()
            .find(|(_, known, since)| *known == name && *since <= generation)
            .map(|m| m.0)
    };
    let operation = |name: &str| {
        MESSAGE_OPS
            .iter()
            .position(|known| *known == name)
            .map(|n| n as u8)
    };
    let mut word = code(lex, &["msg_"], message, 15, "message")?;
    if lex.mark(b',') {
        let prefixes = ["gs_op_", "gs_"];
        let mut op = code(lex, &prefixes, operation, 7, "operation of a message")?;
        // `emit-cut` is one name.
        if op == 2 && lex.mark(b'-') {
            if !lex.word("cut") {
                return fail(lex, "expected `cut`");
            }
            op = 3;
        }
        word |= op << 4;
        if lex.mark(b',') {
            word |= (expr::within(lex, 0, 3)? as i32) << 8;
        }
    }
    expect(lex, b')', "after the message")?;
    Ok(word)
}
