//! Parsing of a line, in Intel's spelling or the description's, ignoring case.

use std::fmt::Display;
use std::ops::Range;

use wavetank_quote::{plain, similar};

use super::lex::{Token, Tokens};
use crate::text_error::TextError;
use crate::visa::code::EncodeError;
use crate::visa::instruction::{Channels, Combine, Mask, Part, Predicate, Raw, TypedAtomic};
use crate::visa::names::{SURFACES, VARIABLES};
use crate::visa::operation::{Operation, ROWS};
use crate::visa::rules::{Broken, check};

type Result<T> = std::result::Result<T, TextError>;

/// The places of an instruction's parts in its line, in bytes. A missing predicate is at the start of the instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places {
    operation: Range<usize>,
    channels: Range<usize>,
    predicate: Range<usize>,
    surface: Range<usize>,
    operands: [Range<usize>; Part::OPERANDS.len()],
}

impl Places {
    /// Returns the place of a part.
    pub fn of(&self, part: Part) -> Range<usize> {
        match part {
            Part::Operation => self.operation.clone(),
            Part::Channels => self.channels.clone(),
            Part::Predicate => self.predicate.clone(),
            Part::Surface => self.surface.clone(),
            operand => {
                let place = Part::OPERANDS.iter().position(|part| *part == operand);
                place.map_or(0..0, |place| self.operands[place].clone())
            }
        }
    }

    /// Returns the error of a broken rule, at the place of the part that breaks it.
    pub fn error(&self, broken: Broken) -> TextError {
        let span = self.of(broken.part);
        broken.at(span)
    }

    /// Returns the error of an instruction without an encoding, at the place of the number that does not fit.
    pub fn unencoded(&self, error: &EncodeError) -> TextError {
        TextError::new(self.of(error.part()), error)
    }
}

/// Reads the instruction of a line, which may end in a comment (`//`): `[(P1)] typed_atomic.add[.16] (M1, 8) T6 V32.0 …`.
///
/// Names are read in any case, in Intel's spelling (`minsint`) or the description's (`IMIN`). An operand's offset may be omitted,
/// `V0` is the null variable, and `(8)` means `(M1, 8)`.
///
/// # Errors
/// A [`TextError`] at the first error in the text, or the first broken rule of [`check`].
///
/// ```
/// use wavetank_surface_isa::visa::{Ids, encode, parse};
/// let text = "(!P1) TYPED_ATOMIC.CMPXCHG (8) T6 V32 V33 V34 V35 V36 V37 V38";
/// let inst = parse(text)?;
/// assert_eq!(
///     inst.to_string(),
///     "(!P1) typed_atomic.cmpxchg (M1, 8) T6 V32.0 V33.0 V34.0 V35.0 V36.0 V37.0 V38.0"
/// );
/// assert_eq!(encode(&inst, Ids::Wide).unwrap()[..7], [0x73, 7, 3, 1, 0x80, 6, 32]);
/// # Ok::<(), wavetank_surface_isa::TextError>(())
/// ```
pub fn parse(line: &str) -> Result<TypedAtomic> {
    parse_with_parts(line).map(|(inst, _)| inst)
}

/// Reads an instruction as [`parse`] does, and returns the places of its parts too, for further checks.
///
/// # Errors
/// The errors of [`parse`].
pub fn parse_with_parts(line: &str) -> Result<(TypedAtomic, Places)> {
    let mut tokens = Tokens::new(line);
    let mut places = Places::default();
    let predicate = predicate(&mut tokens, &mut places.predicate)?;
    places.operation = tokens.place();
    let (operation, word) = mnemonic(&mut tokens)?;
    let (mask, channels) = execution(&mut tokens, &mut places.channels)?;
    places.surface = tokens.place();
    let surface = surface(&mut tokens)?;
    let mut operands = [Raw::NULL; Part::OPERANDS.len()];
    for (n, part) in Part::OPERANDS.into_iter().enumerate() {
        places.operands[n] = tokens.place();
        operands[n] = operand(&mut tokens, part)?;
    }
    if let Some(token) = tokens.next() {
        let message = format!(
            "`{}` follows Dst, the last operand: expected the end of the line",
            plain(token.text)
        );
        return fail(token.span(), message);
    }
    let [u, v, r, lod, src0, src1, dst] = operands;
    let inst = TypedAtomic {
        operation,
        word,
        channels,
        mask,
        predicate,
        surface,
        u,
        v,
        r,
        lod,
        src0,
        src1,
        dst,
    };
    check(&inst).map_err(|broken| places.error(broken))?;
    Ok((inst, places))
}

fn fail<T>(span: Range<usize>, message: impl Display) -> Result<T> {
    Err(TextError::new(span, message))
}

fn help<T>(span: Range<usize>, message: String, help: String) -> Result<T> {
    let help = Some(help);
    Err(TextError {
        span,
        message,
        help,
    })
}

/// Reads the next token, which must exist.
fn expect<'t>(tokens: &mut Tokens<'t>, what: &str) -> Result<Token<'t>> {
    let place = tokens.place();
    match tokens.next() {
        Some(token) => Ok(token),
        None => fail(place, format!("the line ends here: expected {what}")),
    }
}

/// Reads a mark, which must follow.
fn mark(tokens: &mut Tokens<'_>, mark: &str, where_: &str) -> Result<()> {
    let token = expect(tokens, &format!("`{mark}` {where_}"))?;
    if token.text == mark {
        Ok(())
    } else {
        let found = plain(token.text);
        fail(
            token.span(),
            format!("expected `{mark}` {where_}, found `{found}`"),
        )
    }
}

/// Reads a predicate: `(P1)`, `(!P1)`, `(P1.any)`, `(!P1.all)`, or nothing.
fn predicate(tokens: &mut Tokens<'_>, place: &mut Range<usize>) -> Result<Option<Predicate>> {
    if tokens.take("(").is_none() {
        return Ok(None);
    }
    let start = tokens.place().start;
    let inverse = tokens.take("!").is_some();
    let token = expect(tokens, "a predicate, such as `P1`")?;
    *place = start..token.span().end;
    let (name, combine) = match token.text.split_once('.') {
        None => (token.text, Combine::Each),
        Some((name, word)) if word.eq_ignore_ascii_case("any") => (name, Combine::Any),
        Some((name, word)) if word.eq_ignore_ascii_case("all") => (name, Combine::All),
        Some((name, word)) => {
            let at = token.start + name.len() + 1;
            let message = format!(
                "`{}` combines nothing: expected `any` or `all`",
                plain(word)
            );
            return fail(at..token.span().end, message);
        }
    };
    let Some(variable) = numbered(name, 'P') else {
        let message = format!(
            "`{}` is not a predicate: expected `P1` to `P4095`",
            plain(name)
        );
        return fail(token.span(), message);
    };
    let Some(variable @ 1..=4095) = variable else {
        let message = format!(
            "there is no predicate `{}`: expected `P1` to `P4095`",
            plain(name)
        );
        return fail(token.start..token.start + name.len(), message);
    };
    mark(tokens, ")", "after the predicate")?;
    Ok(Some(Predicate {
        variable: variable as u16,
        combine,
        inverse,
    }))
}

/// Returns the number after a letter, ignoring case. `None` if it is not such a name, `Some(None)` if the number is too large.
fn numbered(name: &str, letter: char) -> Option<Option<u32>> {
    let mut chars = name.chars();
    let first = chars.next()?;
    let digits = chars.as_str();
    let named = first.eq_ignore_ascii_case(&letter)
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit());
    named.then(|| digits.parse().ok())
}

/// Reads the mnemonic: `typed_atomic.add`, `TYPED_ATOMIC.IMIN.16`.
fn mnemonic(tokens: &mut Tokens<'_>) -> Result<(Operation, bool)> {
    const NAME: &str = "typed_atomic";
    let token = expect(
        tokens,
        "`typed_atomic` and an operation, such as `typed_atomic.add`",
    )?;
    let mut words = token.text.split('.');
    let name = words.next().unwrap_or_default();
    if !name.eq_ignore_ascii_case(NAME) {
        let span = token.start..token.start + name.len();
        let message = format!("`{}` is not known: expected `{NAME}`", plain(name));
        return match similar(&name.to_ascii_lowercase(), [NAME]) {
            (_, true) => help(span, message, format!("did you mean `{NAME}`?")),
            _ => fail(span, message),
        };
    }
    let mut at = token.start + name.len();
    let Some(name) = words.next() else {
        return fail(at..at, "expected `.` and an operation, such as `.add`");
    };
    at += 1;
    let Some(operation) = Operation::from_name(name) else {
        return unknown(name, at);
    };
    at += name.len();
    let word = match words.next() {
        None => false,
        Some("16") => true,
        Some(word) => {
            let span = at + 1..at + 1 + word.len();
            let message = format!(
                "`{}` is not a size: expected `.16`, or nothing for 32 bits",
                plain(word)
            );
            return fail(span, message);
        }
    };
    match words.next() {
        None => Ok((operation, word)),
        Some(_) => fail(at + 3..token.span().end, "expected nothing after `.16`"),
    }
}

/// Fails at a word that is not an operation.
fn unknown<T>(name: &str, at: usize) -> Result<T> {
    let names: Vec<&str> = ROWS
        .iter()
        .flat_map(|row| [Some(row.name), row.other])
        .flatten()
        .collect();
    let span = at..at + name.len();
    let (near, meant) = similar(&name.to_ascii_lowercase(), names.iter().copied());
    let list: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
    let message = format!(
        "`{}` is not an operation: expected one of {}",
        plain(name),
        list.join(", ")
    );
    if meant {
        help(span, message, format!("did you mean `{}`?", near[0]))
    } else {
        fail(span, message)
    }
}

/// Reads the execution size and mask: `(M1, 8)`, `(M3_NM, 4)`, `(8)`.
fn execution(tokens: &mut Tokens<'_>, place: &mut Range<usize>) -> Result<(Mask, Channels)> {
    let start = tokens.place().start;
    mark(
        tokens,
        "(",
        "and mask and execution size, such as `(M1, 8)`",
    )?;
    let token = expect(tokens, "a mask or an execution size, such as `M1, 8`")?;
    let plain_size = token.text.bytes().all(|b| b.is_ascii_digit());
    let (mask, size) = if plain_size {
        (Mask::from_code(0), token)
    } else {
        let mask = execution_mask(token)?;
        self::mark(tokens, ",", "between mask and execution size")?;
        (mask, expect(tokens, "an execution size: 1, 2, 4, 8 or 16")?)
    };
    let channels = size.text.parse().ok().and_then(Channels::new);
    let Some(channels) = channels else {
        let found = plain(size.text);
        let message = format!("`{found}` is not an execution size: expected 1, 2, 4, 8 or 16");
        return fail(size.span(), message);
    };
    let end = tokens.place().end;
    self::mark(tokens, ")", "after the execution size")?;
    *place = start..end;
    Ok((mask, channels))
}

fn execution_mask(token: Token<'_>) -> Result<Mask> {
    let upper = token.text.to_ascii_uppercase();
    let (name, no_mask) = match upper.strip_suffix("_NM") {
        Some(name) => (name, true),
        None => (upper.as_str(), false),
    };
    let place = numbered(name, 'M').flatten();
    let place = place.and_then(|place| u8::try_from(place).ok());
    match place.and_then(|place| Mask::new(place, no_mask)) {
        Some(mask) => Ok(mask),
        None => {
            let found = plain(token.text);
            let message =
                format!("`{found}` is not a mask: expected `M1` to `M8`, or `M1_NM` to `M8_NM`");
            fail(token.span(), message)
        }
    }
}

/// Reads a surface: `T6`, `%slm`.
fn surface(tokens: &mut Tokens<'_>) -> Result<u8> {
    let token = expect(tokens, "a surface, such as `T6`")?;
    if let Some(number) = known(token.text, &SURFACES) {
        return Ok(number as u8);
    }
    let number = numbered(token.text, 'T').flatten();
    match number.and_then(|number| u8::try_from(number).ok()) {
        Some(number) => Ok(number),
        None => {
            let found = plain(token.text);
            fail(
                token.span(),
                format!("`{found}` is not a surface: expected `T0` to `T255`"),
            )
        }
    }
}

/// Returns the index of a name among those that vISA defines.
fn known(name: &str, names: &[&str]) -> Option<usize> {
    names
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name))
}

/// Reads an operand: `V32.0`, `V32`, `%null.0`, `V0`.
fn operand(tokens: &mut Tokens<'_>, part: Part) -> Result<Raw> {
    let what = format!("{}, such as `V32.0`, or `%null.0`", part.name());
    let token = expect(tokens, &what)?;
    let (name, offset) = match token.text.split_once('.') {
        Some((name, offset)) => (name, Some(offset)),
        None => (token.text, None),
    };
    let variable = match known(name, &VARIABLES) {
        Some(number) => Some(Some(number as u32)),
        None => numbered(name, 'V'),
    };
    let span = token.start..token.start + name.len();
    let Some(variable) = variable else {
        let message = format!(
            "`{}` is not a variable: expected {}, such as `V32.0`, or `%null.0`",
            plain(name),
            part.name()
        );
        return fail(span, message);
    };
    let Some(variable) = variable else {
        return fail(
            span,
            format!("there is no variable `{name}`: their numbers have 32 bits"),
        );
    };
    let offset = match offset.map(str::parse) {
        None => 0,
        Some(Ok(offset)) => offset,
        Some(Err(_)) => {
            let at = token.start + name.len() + 1;
            let message = format!(
                "`{}` is not an offset of {}: expected bytes from 0 to 65535",
                plain(&token.text[name.len() + 1..]),
                part.name()
            );
            return fail(at..token.span().end, message);
        }
    };
    Ok(Raw::new(variable, offset))
}
