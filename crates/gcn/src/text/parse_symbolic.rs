//! Parsing of immediates with a notation of their own, in LLVM's syntax.

use super::failure::{Failure, fail};
use super::lex::{Lexer, Located, Token};
use super::names::{
    GPR_IDX, GS_OPS, MESSAGES, MSG_GS, MSG_GS_DONE, MSG_SYSMSG, SYSMSG_OPS, hwregs,
};
use super::parse_operand::expect;
use crate::generation::{Chip, Generation};
use crate::tables::Kind;
use crate::waitcnt::WaitCounter;

/// Parses an immediate operand of a kind.
pub(super) fn immediate(lex: &mut Lexer<'_>, kind: Kind, chip: Chip) -> Result<i32, Failure> {
    let generation = chip.generation();
    match kind {
        Kind::Attr => attr(lex),
        Kind::Param => named(lex, &[("p10", 0), ("p20", 1), ("p0", 2)], "p10, p20 or p0"),
        Kind::ExportTarget => export_target(lex),
        Kind::Waitcnt if matches!(lex.peek(), Token::Word(_)) => waitcnt(lex, generation),
        Kind::Hwreg if lex.mark(b'{') => fields(lex, chip),
        Kind::Hwreg if lex.word("hwreg") => hwreg(lex, chip),
        Kind::Sendmsg if lex.word("sendmsg") => sendmsg(lex, generation),
        Kind::GprIdx if lex.word("gpr_idx") => gpr_idx(lex),
        Kind::GprIdx => number(lex, 0, 15),
        // SDATA has 7 bits.
        Kind::Probe => number(lex, 0, 127),
        Kind::Hwreg | Kind::Sendmsg => number(lex, 0, 0xffff).map(|n| i32::from(n as u16 as i16)),
        // 16 bits, signed or not, kept sign-extended.
        _ => number(lex, -0x8000, 0xffff).map(|n| i32::from(n as u16 as i16)),
    }
}

/// Reads a number within limits.
pub(super) fn number(lex: &mut Lexer<'_>, min: i64, max: i64) -> Result<i32, Failure> {
    let start = lex.location();
    match lex.integer() {
        Some(n) if (min..=max).contains(&n) => Ok(n as i32),
        Some(n) => {
            let place = lex.since(&start);
            fail(&place, format_args!("{n} is outside {min} to {max}"))
        }
        None => fail(
            &start,
            format_args!("expected a number from {min} to {max}"),
        ),
    }
}

fn named(lex: &mut Lexer<'_>, names: &[(&str, i32)], what: &str) -> Result<i32, Failure> {
    let start = lex.location();
    if let Token::Word(word) = lex.next()
        && let Some((_, value)) = names.iter().find(|(n, _)| *n == word)
    {
        return Ok(*value);
    }
    fail(&start, format_args!("expected {what}"))
}

fn attr(lex: &mut Lexer<'_>) -> Result<i32, Failure> {
    let start = lex.location();
    let parsed = match lex.next() {
        Token::Word(word) => word.strip_prefix("attr").and_then(|w| {
            let (number, channel) = w.split_once('.')?;
            let channel = ["x", "y", "z", "w"].iter().position(|c| *c == channel)?;
            let number: u32 = number.parse().ok().filter(|n| *n <= 32)?;
            Some((4 * number) as i32 + channel as i32)
        }),
        _ => None,
    };
    parsed
        .ok_or(())
        .or_else(|()| fail(&start, "expected an attribute, such as attr0.x"))
}

fn export_target(lex: &mut Lexer<'_>) -> Result<i32, Failure> {
    let start = lex.location();
    let parsed = match lex.next() {
        Token::Word("mrtz") => Some(8),
        Token::Word("null") => Some(9),
        Token::Word(word) => {
            let number = |prefix, base: i32, count: i32| {
                let n: i32 = word.strip_prefix(prefix)?.parse().ok()?;
                (0..count).contains(&n).then_some(base + n)
            };
            number("mrt", 0, 8)
                .or_else(|| number("pos", 12, 4))
                .or_else(|| number("param", 32, 32))
        }
        _ => None,
    };
    let what =
        "expected an export target: mrt0 to mrt7, mrtz, null, pos0 to pos3, param0 to param31";
    parsed.ok_or(()).or_else(|()| fail(&start, what))
}

/// Reads `vmcnt(0) & lgkmcnt(0)`, with or without marks in between.
fn waitcnt(lex: &mut Lexer<'_>, generation: Generation) -> Result<i32, Failure> {
    let counters = WaitCounter::all(generation);
    let mut word = counters.iter().fold(0, |word, c| c.set(word, c.max()));
    loop {
        let start = lex.location();
        let Token::Word(name) = lex.next() else {
            return fail(&start, "expected vmcnt, expcnt or lgkmcnt");
        };
        let (plain, saturate) = match name.strip_suffix("_sat") {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        let Some(counter) = counters.iter().find(|c| c.name == plain) else {
            return fail(&start, "expected vmcnt, expcnt or lgkmcnt");
        };
        expect(lex, b'(', "after a counter")?;
        let max = i32::from(counter.max());
        let value = if saturate {
            saturated(lex, max)?
        } else {
            number(lex, 0, max.into())?
        };
        expect(lex, b')', "after the value of a counter")?;
        word = counter.set(word, value as u16);
        let separated = lex.mark(b'&') || lex.mark(b',');
        if !separated && lex.peek() == Token::End {
            // The immediate is 16 bits, kept sign-extended.
            return Ok(i32::from(word as i16));
        }
    }
}

/// Reads a number of any size, taken as unsigned; those above a limit become the limit.
fn saturated(lex: &mut Lexer<'_>, max: i32) -> Result<i32, Failure> {
    match lex.integer() {
        Some(n) if (0..=i64::from(max)).contains(&n) => Ok(n as i32),
        Some(_) => Ok(max),
        None => fail(lex, "expected a number"),
    }
}

/// Reads a name of a table, or a number up to a limit.
fn code(lex: &mut Lexer<'_>, names: &[(u8, &str)], max: i64, what: &str) -> Result<i32, Failure> {
    let start = lex.location();
    if let Token::Word(word) = lex.peek() {
        lex.next();
        let found = names.iter().find(|(_, n)| *n == word);
        return match found {
            Some((code, _)) => Ok(i32::from(*code)),
            None => fail(
                &start,
                format_args!("`{word}` is not a known {what} of this generation"),
            ),
        };
    }
    number(lex, 0, max)
}

fn hwreg(lex: &mut Lexer<'_>, chip: Chip) -> Result<i32, Failure> {
    expect(lex, b'(', "after hwreg")?;
    let names: Vec<_> = hwregs(chip).collect();
    let id = code(lex, &names, 63, "hardware register")?;
    let (mut offset, mut size) = (0, 32);
    if lex.mark(b',') {
        offset = number(lex, 0, 31)?;
        expect(lex, b',', "before the size of the field")?;
        size = number(lex, 1, 32)?;
    }
    expect(lex, b')', "after the field")?;
    let word = id | offset << 6 | (size - 1) << 11;
    Ok(i32::from(word as u16 as i16))
}

/// Reads a hardware register by its fields, in any order: `{id: 1, offset: 0, size: 4}`, of which each can be left out.
fn fields(lex: &mut Lexer<'_>, chip: Chip) -> Result<i32, Failure> {
    let names: Vec<_> = hwregs(chip).collect();
    let mut fields = [("id", None), ("offset", None), ("size", None)];
    while !lex.mark(b'}') {
        let start = lex.location();
        let field = match lex.next() {
            Token::Word(word) => fields.iter_mut().find(|(name, _)| *name == word),
            _ => None,
        };
        let Some((name, value @ None)) = field else {
            return fail(&start, "expected id, offset or size, each at most once");
        };
        expect(lex, b':', "after the name of a field")?;
        *value = Some(match *name {
            "id" => code(lex, &names, 63, "hardware register")?,
            "offset" => number(lex, 0, 31)?,
            _ => number(lex, 1, 32)?,
        });
        if !lex.mark(b',') && lex.peek() != Token::Mark(b'}') {
            return fail(lex, "expected `,` or `}`");
        }
    }
    let [(_, id), (_, offset), (_, size)] = fields;
    let word = id.unwrap_or(0) | offset.unwrap_or(0) << 6 | (size.unwrap_or(32) - 1) << 11;
    Ok(i32::from(word as u16 as i16))
}

/// Returns whether a named message has an operation. The acknowledgement of host traps ended with gfx8.
fn has_operation(id: u8, op: i32, generation: Generation) -> bool {
    match id {
        MSG_GS => (1..=3).contains(&op),
        MSG_GS_DONE => (0..=3).contains(&op),
        _ if op == 3 => generation < Generation::Gfx9,
        _ => (1..=4).contains(&op),
    }
}

fn sendmsg(lex: &mut Lexer<'_>, generation: Generation) -> Result<i32, Failure> {
    expect(lex, b'(', "after sendmsg")?;
    let by_name = matches!(lex.peek(), Token::Word(_));
    let names: Vec<_> = MESSAGES
        .iter()
        .filter(|m| m.2 <= generation)
        .map(|m| (m.0, m.1))
        .collect();
    let start = lex.location();
    let id = code(lex, &names, 15, "message")?;
    let (mut op, mut stream) = (0, 0);
    let (gs, sysmsg) = (
        matches!(id as u8, MSG_GS | MSG_GS_DONE),
        id as u8 == MSG_SYSMSG,
    );
    if lex.mark(b',') {
        let ops: Vec<_> = match (gs, sysmsg) {
            (true, _) => GS_OPS
                .iter()
                .enumerate()
                .map(|(n, o)| (n as u8, *o))
                .collect(),
            (_, true) => SYSMSG_OPS
                .iter()
                .enumerate()
                .map(|(n, o)| (n as u8 + 1, *o))
                .filter(|(n, _)| has_operation(MSG_SYSMSG, i32::from(*n), generation))
                .collect(),
            _ if by_name => return fail(lex, "this message has no operation"),
            _ => Vec::new(),
        };
        let start = lex.location();
        op = code(lex, &ops, 7, "operation of this message")?;
        if by_name && !has_operation(id as u8, op, generation) {
            return fail(
                &start,
                format_args!("this message has no operation {op} here"),
            );
        }
        if lex.mark(b',') {
            if by_name && !(gs && op != 0) {
                return fail(lex, "this message has no stream");
            }
            stream = number(lex, 0, 3)?;
        }
    } else if by_name && (gs || sysmsg) {
        return fail(&start, "this message needs an operation");
    }
    if by_name && id as u8 == MSG_GS && op == 0 {
        return fail(&start, "MSG_GS takes no GS_OP_NOP");
    }
    expect(lex, b')', "after the message")?;
    Ok(id | op << 4 | stream << 8)
}

fn gpr_idx(lex: &mut Lexer<'_>) -> Result<i32, Failure> {
    expect(lex, b'(', "after gpr_idx")?;
    let mut mask = 0;
    while !lex.mark(b')') {
        let start = lex.location();
        let bit = match lex.next() {
            Token::Word(word) => GPR_IDX.iter().position(|n| *n == word),
            _ => None,
        };
        let Some(bit) = bit.filter(|b| mask >> b & 1 == 0) else {
            return fail(
                &start,
                "expected SRC0, SRC1, SRC2 or DST, each at most once",
            );
        };
        mask |= 1 << bit;
        if !lex.mark(b',') && lex.peek() != Token::Mark(b')') {
            return fail(lex, "expected `,` or `)`");
        }
    }
    Ok(mask)
}

/// Reads the offset of ds_swizzle_b32 as a pattern, after `swizzle`.
pub(super) fn swizzle(lex: &mut Lexer<'_>, chip: Chip) -> Result<i32, Failure> {
    expect(lex, b'(', "after swizzle")?;
    let start = lex.location();
    let Token::Word(pattern) = lex.next() else {
        return fail(&start, "expected a pattern of lanes");
    };
    let mut next = |max| {
        expect(lex, b',', "between the numbers of a pattern")?;
        number(lex, 0, max)
    };
    let power = |n: i32, from: i32| n >= from && n <= 32 && n & (n - 1) == 0;
    let value = match pattern {
        "QUAD_PERM" => {
            let lanes = [next(3)?, next(3)?, next(3)?, next(3)?];
            0x8000 | lanes[0] | lanes[1] << 2 | lanes[2] << 4 | lanes[3] << 6
        }
        "SWAP" => match next(16)? {
            n if power(n, 1) => 31 | n << 10,
            _ => return fail(&start, "SWAP takes 1, 2, 4, 8 or 16"),
        },
        "REVERSE" => match next(32)? {
            n if power(n, 2) => 31 | (n - 1) << 10,
            _ => return fail(&start, "REVERSE takes 2, 4, 8, 16 or 32"),
        },
        "BROADCAST" => {
            let (group, lane) = (next(32)?, next(31)?);
            if !power(group, 2) || lane >= group {
                return fail(&start, "BROADCAST takes a power of two and a lane below it");
            }
            (32 - group) | lane << 5
        }
        "BITMASK_PERM" => bitmask(lex)?,
        "FFT" if chip == Chip::Gfx950 => 0xe000 | next(31)?,
        _ => {
            return fail(
                &start,
                format_args!("`{pattern}` is not a pattern of lanes"),
            );
        }
    };
    expect(lex, b')', "after a pattern")?;
    Ok(value)
}

/// Reads the mapping of each bit of a lane's number: 0, 1, p (kept), i (inverted).
fn bitmask(lex: &mut Lexer<'_>) -> Result<i32, Failure> {
    expect(lex, b',', "before the bits")?;
    let start = lex.location();
    let bits = match lex.next() {
        Token::Quoted(text) if text.len() == 5 => text,
        _ => return fail(&start, "expected five of 0, 1, p and i in quotes"),
    };
    let (mut and, mut or, mut xor) = (0, 0, 0);
    for (n, c) in bits.bytes().enumerate() {
        let bit = 1 << (4 - n);
        match c {
            b'0' => {}
            b'1' => or |= bit,
            b'p' => and |= bit,
            b'i' => {
                and |= bit;
                xor |= bit;
            }
            _ => return fail(&start, "expected five of 0, 1, p and i in quotes"),
        }
    }
    Ok(and | or << 5 | xor << 10)
}
