//! Expressions among the operands of instructions: where they stand, and the instruction's text with values in their place.

use std::fmt::Write;
use std::ops::Range;

use wavetank_gcn::Dialect;
use wavetank_gcn::text::places::{Place, is_modifier};

use super::Assembler;
use crate::expression::{Expr, Reader};
use crate::source::{Cursor, SyntaxError, first_word, is_name, syntax_error};
use crate::state::{Definition, Location, Symbols};

/// The placeholder for a 16-bit value that is not known yet, as [`LITERAL`](crate::line::LITERAL) is for a 32-bit one.
pub(super) const HALF: u32 = 0x5eed;

/// The text of an instruction, with numbers in place of its expressions.
pub(super) struct Rewritten {
    pub text: String,
    /// The expression whose value is not known, and its place in the written text.
    pub waiting: Option<(Expr, Range<usize>)>,
    /// Whether a modifier was passed whose name could be a symbol.
    pub passed: bool,
    /// Places of numbers in `text`, each with the place of its expression in the written text.
    places: Vec<(Range<usize>, Range<usize>)>,
}

impl Rewritten {
    /// Maps a place in `text` to the written text.
    pub(super) fn written(&self, at: usize) -> usize {
        let before = self.places.iter().rev().find(|(new, _)| new.start <= at);
        match before {
            Some((new, old)) if at < new.end => old.start,
            Some((new, old)) => old.end + (at - new.end),
            None => at,
        }
    }
}

/// The replacement for a value that is not known yet.
#[derive(Clone, Copy)]
pub(super) enum StandIn {
    /// A number in place of the value.
    Number(u32),
    /// The text as written.
    Written,
}

/// The words that are taken for symbols. Each level includes the ones before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(super) enum Reach {
    /// Only symbols that are known.
    Known,
    /// Undefined names as well, which may be defined later.
    Later,
    /// Names of modifiers as well, where an operand can stand.
    Modifiers,
}

/// Replaces the expressions of an instruction by their values, and an unknown value by its stand-in.
///
/// # Errors
/// Malformed expressions; two unknown values; an unknown value where only a number can stand.
pub(super) fn rewrite(
    assembler: &mut Assembler<'_>,
    here: Location,
    text: &str,
    reach: Reach,
    stand_in: StandIn,
) -> Result<Rewritten, SyntaxError> {
    let mut out = Rewritten {
        text: String::with_capacity(text.len() + 16),
        waiting: None,
        places: Vec::new(),
        passed: false,
    };
    let mut scanner = Scanner::new(text, reach, assembler.dialect);
    let mut copied = 0;
    while let Some(start) = scanner.next(&assembler.symbols) {
        let mut cursor = Cursor::new(&text[..scanner.end(start)], start);
        if let Some(registers) = assembler.named_registers(&mut cursor)? {
            let end = start + text[start..cursor.at()].trim_end().len();
            scanner.go_on(end);
            out.text.push_str(&text[copied..start]);
            let new = out.text.len();
            // Writing to a string does not fail.
            let _ = write!(out.text, "{registers}");
            out.places.push((new..out.text.len(), start..end));
            copied = end;
            continue;
        }
        let expr = Reader::new(&mut assembler.symbols, here, assembler.dialect).read(&mut cursor);
        let Ok(expr) = expr else {
            scanner.pass(start);
            continue;
        };
        let end = start + text[start..cursor.at()].trim_end().len();
        let place = scanner.place();
        scanner.go_on(end);
        let value = assembler.values().number(&expr);
        out.text.push_str(&text[copied..start]);
        let new = out.text.len();
        // Writing to a string does not fail.
        let _ = match value {
            Ok(number) => write!(out.text, "{number}"),
            Err(_) if place != Place::Operand && place != Place::Immediate => {
                return Err(must_be_known(text, start..end));
            }
            Err(_) if out.waiting.is_some() => {
                return Err(syntax_error(
                    start..end,
                    "an instruction can have one address that is not known yet",
                ));
            }
            Err(_) => {
                out.waiting = Some((expr, start..end));
                match stand_in {
                    StandIn::Number(number) => write!(out.text, "{number:#x}"),
                    StandIn::Written => write!(out.text, "{}", &text[start..end]),
                }
            }
        };
        out.places.push((new..out.text.len(), start..end));
        copied = end;
    }
    out.text.push_str(&text[copied..]);
    out.passed = scanner.passed;
    Ok(out)
}

/// Returns the error of an expression that must have its value at once.
pub(super) fn must_be_known(text: &str, place: Range<usize>) -> SyntaxError {
    let written = &text[place.clone()];
    syntax_error(place, format_args!("`{written}` {MUST_BE_KNOWN}"))
}

pub(super) const MUST_BE_KNOWN: &str = "must be known here";

/// A scanner that finds expressions among operands.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// Whether an operand or a part of one can begin at this position.
    fresh: bool,
    reach: Reach,
    dialect: Dialect,
    mnemonic: &'t str,
    /// The index of the current operand.
    operand: usize,
    /// The word that was passed last.
    word: &'t str,
    /// The kind of place after a colon, up to the next comma.
    value: Option<Place>,
    /// The open brackets and parentheses, innermost last.
    open: Vec<Open<'t>>,
    /// Whether the position is within `|…|`.
    absolute: bool,
    /// Whether a modifier was passed whose name is also that of a symbol.
    passed: bool,
}

/// An open bracket or parenthesis.
struct Open<'t> {
    /// The name before the parenthesis, for a call.
    call: Option<&'t str>,
    /// The number of commas in it so far.
    index: usize,
    /// The kind of place within a bracket.
    place: Place,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str, reach: Reach, dialect: Dialect) -> Self {
        let mnemonic = first_word(text);
        Scanner {
            text,
            at: mnemonic.len(),
            fresh: true,
            reach,
            dialect,
            mnemonic,
            operand: 0,
            word: "",
            value: None,
            open: Vec::new(),
            absolute: false,
            passed: false,
        }
    }

    /// Returns the latest end of an expression that begins here: a bar within `|…|` is not an operator.
    fn end(&self, start: usize) -> usize {
        let bar = self.text[start..].find('|').filter(|_| self.absolute);
        bar.map_or(self.text.len(), |bar| start + bar)
    }

    /// Returns the kind of place at this position.
    fn place(&self) -> Place {
        match (self.open.last(), self.value) {
            (
                Some(Open {
                    call: Some(name),
                    index,
                    place,
                }),
                _,
            ) => Place::of_argument(name, *index, self.dialect).unwrap_or(*place),
            (Some(open), _) => open.place,
            (None, Some(place)) => place,
            (None, None) => Place::of_operand(self.mnemonic, self.operand),
        }
    }

    /// Returns the start of the next expression that is more than a number or a register.
    fn next(&mut self, symbols: &Symbols) -> Option<usize> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at).copied() {
            let fresh = self.fresh;
            match byte {
                // A pattern of `swizzle(…)` has quoted bits, which are not an expression.
                b'"' if fresh && !self.is_in_call("swizzle") => return Some(self.at),
                b'"' => {
                    let rest = &bytes[self.at + 1..];
                    self.at += 2 + rest.iter().position(|b| *b == b'"').unwrap_or(rest.len());
                    continue;
                }
                b'(' | b'~' | b'!' | b'\'' if fresh => return Some(self.at),
                b'0'..=b'9' if fresh => {
                    if self.calculates(self.end_of_word(self.at)) {
                        return Some(self.at);
                    }
                    self.pass(self.at);
                    continue;
                }
                b'-' if fresh && self.negates(symbols) => return Some(self.at),
                b':' if fresh && bytes[self.at..].starts_with(b"::") => return Some(self.at),
                _ if is_name(byte) => {
                    if fresh && self.is_symbol(self.at, symbols) {
                        return Some(self.at);
                    }
                    self.pass(self.at);
                    continue;
                }
                _ => self.mark(byte),
            }
            self.fresh = match byte {
                b',' | b'[' | b'(' | b':' | b'-' => true,
                b'|' => self.absolute,
                b' ' | b'\t' => fresh,
                _ => false,
            };
            self.at += 1;
        }
        None
    }

    /// Advances the scanner's state over a punctuation mark.
    fn mark(&mut self, byte: u8) {
        let word = std::mem::take(&mut self.word);
        match byte {
            b'(' => self.open.push(Open {
                call: Some(word),
                index: 0,
                place: self.place(),
            }),
            b'[' => self.open.push(Open {
                call: None,
                index: 0,
                // After a word, the bracket holds register numbers, otherwise a list.
                place: if word.is_empty() {
                    self.place()
                } else {
                    Place::Number
                },
            }),
            b')' | b']' => drop(self.open.pop()),
            b',' => match self.open.last_mut() {
                Some(open) => open.index += 1,
                None => {
                    self.value = None;
                    self.operand += 1;
                }
            },
            b':' if self.open.is_empty() => self.value = Some(Place::of_value(word, self.dialect)),
            b'|' => self.absolute = self.fresh && !self.absolute,
            // Blanks may stand after a name.
            b' ' | b'\t' => self.word = word,
            _ => {}
        }
    }

    fn is_in_call(&self, name: &str) -> bool {
        self.open.last().is_some_and(|open| open.call == Some(name))
    }

    /// Passes over a word that is not an expression.
    fn pass(&mut self, start: usize) {
        self.at = self.end_of_word(start).max(start + 1);
        self.word = self.text.get(start..self.at).unwrap_or_default();
        self.fresh = false;
    }

    /// Continues after an expression.
    fn go_on(&mut self, at: usize) {
        self.at = at;
        self.word = "";
        self.fresh = false;
    }

    fn end_of_word(&self, start: usize) -> usize {
        let rest = &self.text.as_bytes()[start..];
        start + rest.iter().take_while(|b| is_name(**b)).count()
    }

    /// Returns the first byte at a place that is not a blank.
    fn after(&self, at: usize) -> u8 {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        rest.iter()
            .find(|b| !b.is_ascii_whitespace())
            .copied()
            .unwrap_or(0)
    }

    /// Whether an operator follows a value that ends here.
    fn calculates(&self, end: usize) -> bool {
        match self.after(end) {
            b'|' => !self.absolute,
            operator => b"+-*/%<>&^!".contains(&operator),
        }
    }

    /// Whether the sign here begins a symbol or a calculation, and not a number.
    fn negates(&mut self, symbols: &Symbols) -> bool {
        let rest = &self.text[self.at + 1..];
        let next = self.at + 1 + (rest.len() - rest.trim_start().len());
        match self.text.as_bytes().get(next) {
            Some(b'(') => true,
            Some(b'0'..=b'9') => self.calculates(self.end_of_word(next)),
            Some(b) if is_name(*b) => self.is_symbol(next, symbols),
            _ => false,
        }
    }

    /// Whether the word here is a symbol.
    fn is_symbol(&mut self, at: usize, symbols: &Symbols) -> bool {
        let end = self.end_of_word(at);
        let word = &self.text[at..end];
        let place = self.place();
        if place.keeps(word, self.dialect) {
            return false;
        }
        if self.text[end..].starts_with("::") {
            return true;
        }
        let definition = symbols.find(word).map(|id| &symbols[id].definition);
        if let Some(Definition::Registers(_)) = definition {
            return true;
        }
        let followed = match self.after(end) {
            // Functions of operands, registers, and names of modifiers.
            b'(' | b'[' => true,
            b':' => self.open.is_empty(),
            _ => false,
        };
        let known = word.contains('@') || symbols.is_known(word);
        let later = self.reach >= Reach::Later
            && matches!(place, Place::Operand | Place::Immediate | Place::Number)
            && !Place::Operand.keeps(word, self.dialect);
        if followed || !(known || later) {
            return false;
        }
        let modifies = place == Place::Operand && is_modifier(word, self.dialect);
        self.passed |= modifies;
        !modifies || self.reach == Reach::Modifiers
    }
}
