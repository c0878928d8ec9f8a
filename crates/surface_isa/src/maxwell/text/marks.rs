//! The marks of the control word after the operands: `&req_6 &rd0 &wr1 ?stall4.yield`.

use super::cursor::{Cursor, Word};
use crate::maxwell::control::Control;
use crate::text_error::TextError;

const EXPECTED: &str =
    "expected `&req_N`, `&rdN`, `&wrN`, `&reuse_N`, `?stallN`, `?stallN.yield` or `?yield`";

/// Reads the marks at the cursor; each may occur once, in any order.
pub(crate) fn marks(cursor: &mut Cursor<'_>) -> Result<Control, TextError> {
    let mut control = Control::NONE;
    let mut seen = Vec::new();
    loop {
        cursor.skip_blanks();
        let start = cursor.place();
        let kind = if cursor.eat_here('&') {
            barrier(cursor, &mut control)?
        } else if cursor.eat_here('?') {
            issue(cursor, &mut control)?
        } else {
            return Ok(control);
        };
        if seen.contains(&kind) {
            let sentence =
                format!("`{kind}` stands twice: each mark of the control word stands once");
            return Err(TextError::new(cursor.since(start), sentence));
        }
        seen.push(kind);
    }
}

/// Reads a mark after `&`.
fn barrier(cursor: &mut Cursor<'_>, control: &mut Control) -> Result<&'static str, TextError> {
    let word = cursor.word_here();
    let after = |prefix: &str| {
        let (name, number) = word.text.split_at_checked(prefix.len())?;
        name.eq_ignore_ascii_case(prefix).then_some(number)
    };
    if let Some(digits) = after("req_") {
        control.wait = number(&word, digits, 63, "the barriers to wait for, a bit each")?;
        return Ok("&req");
    }
    if let Some(digits) = after("reuse_") {
        control.reuse = number(
            &word,
            digits,
            15,
            "the sources that are used again, a bit each",
        )?;
        return Ok("&reuse");
    }
    if let Some(digits) = after("rd") {
        control.read = Some(number(&word, digits, 6, "a barrier")?);
        return Ok("&rd");
    }
    if let Some(digits) = after("wr") {
        control.write = Some(number(&word, digits, 6, "a barrier")?);
        return Ok("&wr");
    }
    word.fail(EXPECTED)
}

/// Reads a mark after `?`.
fn issue(cursor: &mut Cursor<'_>, control: &mut Control) -> Result<&'static str, TextError> {
    let word = cursor.word_here();
    if word.is("yield") {
        control.yields = true;
        return Ok("?");
    }
    let Some((name, digits)) = word.text.split_at_checked("stall".len()) else {
        return word.fail(EXPECTED);
    };
    if !name.eq_ignore_ascii_case("stall") {
        return word.fail(EXPECTED);
    }
    control.stall = number(&word, digits, 15, "cycles")?;
    if cursor.eat_here('.') {
        let word = cursor.word_here();
        if !word.is("yield") {
            return word.fail("expected `yield`, as in `?stall4.yield`");
        }
        control.yields = true;
    }
    Ok("?")
}

fn number(word: &Word<'_>, digits: &str, most: u64, of: &str) -> Result<u8, TextError> {
    match integer(digits) {
        Some(n) if n <= most => Ok(n as u8),
        _ => word.fail(format!(
            "expected {of} as a number 0 to {most} at the end of this mark"
        )),
    }
}

/// Reads a number in decimal, or in hexadecimal after `0x`.
pub(super) fn integer(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((text, 10), |digits| (digits, 16));
    let all = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    u64::from_str_radix(digits, radix).ok().filter(|_| all)
}
