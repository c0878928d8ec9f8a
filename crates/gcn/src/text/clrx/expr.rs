//! Integer expressions, which are allowed wherever a number is.

use super::super::failure::{Failure, fail};
use super::super::lex::{Lexer, Located, Token};

/// Limit of nested parentheses and signs.
const DEPTH: u8 = 32;

/// Binary operators, the weakest first; those of a row have the same precedence.
const LEVELS: [&[&str]; 5] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"]];

/// Parses an expression, with 64-bit wrapping arithmetic.
pub(super) fn expression(lex: &mut Lexer<'_>) -> Result<i64, Failure> {
    level(lex, 0, 0)
}

/// Parses an expression whose value lies within limits.
pub(super) fn within(lex: &mut Lexer<'_>, min: i64, max: i64) -> Result<i64, Failure> {
    let start = lex.location();
    match expression(lex)? {
        n if (min..=max).contains(&n) => Ok(n),
        n => {
            let place = lex.since(&start);
            fail(&place, format_args!("{n} is outside {min} to {max}"))
        }
    }
}

/// Returns whether a number or an expression of numbers is next.
pub(super) fn begins(lex: &Lexer<'_>) -> bool {
    let mut ahead = *lex;
    loop {
        match ahead.next() {
            Token::Integer(_) => return true,
            Token::Mark(b'-' | b'+' | b'~' | b'(' | b'@') => {}
            _ => return false,
        }
    }
}

/// Parses operators from `LEVELS[at]` on.
fn level(lex: &mut Lexer<'_>, at: usize, depth: u8) -> Result<i64, Failure> {
    let Some(operators) = LEVELS.get(at) else {
        return product(lex, depth);
    };
    let mut value = level(lex, at + 1, depth)?;
    while let Some(operator) = operator(lex, operators) {
        let right = level(lex, at + 1, depth)?;
        value = match operator {
            "|" => value | right,
            "^" => value ^ right,
            "&" => value & right,
            "<<" => u32::try_from(right)
                .ok()
                .and_then(|by| value.checked_shl(by))
                .unwrap_or(0),
            ">>" => u32::try_from(right)
                .ok()
                .and_then(|by| (value as u64).checked_shr(by))
                .unwrap_or(0) as i64,
            "+" => value.wrapping_add(right),
            _ => value.wrapping_sub(right),
        };
    }
    Ok(value)
}

/// Takes an operator, if one is next and an operand follows it: `|` may also be the end of an absolute value.
fn operator(lex: &mut Lexer<'_>, operators: &[&'static str]) -> Option<&'static str> {
    operators.iter().copied().find(|operator| {
        let mut ahead = *lex;
        let matches = operator.bytes().all(|b| ahead.mark(b)) && begins(&ahead);
        if matches {
            *lex = ahead;
        }
        matches
    })
}

fn product(lex: &mut Lexer<'_>, depth: u8) -> Result<i64, Failure> {
    let mut value = unary(lex, depth)?;
    while let Some(operator) = operator(lex, &["*", "/", "%"]) {
        let start = *lex;
        let right = unary(lex, depth)?;
        let result = match operator {
            "*" => Some(value.wrapping_mul(right)),
            "/" => (value as u64).checked_div(right as u64).map(|v| v as i64),
            _ => (value as u64).checked_rem(right as u64).map(|v| v as i64),
        };
        value = match result {
            Some(value) => value,
            None => return fail(&start, "division by zero"),
        };
    }
    Ok(value)
}

fn unary(lex: &mut Lexer<'_>, depth: u8) -> Result<i64, Failure> {
    let start = *lex;
    if depth > DEPTH {
        return fail(&start, "the expression nests too deep");
    }
    match lex.next() {
        Token::Integer(value) => Ok(value as i64),
        Token::Mark(b'-') => Ok(unary(lex, depth + 1)?.wrapping_neg()),
        // `@` marks an expression where a name could be.
        Token::Mark(b'+' | b'@') => unary(lex, depth + 1),
        Token::Mark(b'~') => Ok(!unary(lex, depth + 1)?),
        Token::Mark(b'(') => {
            let value = level(lex, 0, depth + 1)?;
            if !lex.mark(b')') {
                return fail(lex, "expected `)` after an expression");
            }
            Ok(value)
        }
        _ => fail(&start, "expected a number"),
    }
}
