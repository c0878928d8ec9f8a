//! What to write instead: said of lines that are no instruction.
//!
//! Names that changed between generations, and who has an instruction, follow
//! from the rows of the table.

use std::ops::Range;

use wavetank_quote::some_of;

use super::failure::ParseError;
use super::mnemonic::Candidate;
use super::modifier_words::words;
use crate::generation::{Chip, Generation};
use crate::tables::{Chips, Field, Op, Row};

/// The forms that a name can be given.
const SUFFIXES: [&str; 4] = ["_e32", "_e64", "_sdwa", "_dpp"];

/// Why a word is no mnemonic of a chip.
pub(super) fn unknown(text: &str, word: &str, span: Range<usize>, chip: Chip) -> ParseError {
    let generation = chip.generation();
    let (name, suffix) = without_suffix(word);
    let flat = with_flat(name);
    let mut ops = Op::all().filter(|op| named(op.row(), name) || named(op.row(), &flat));
    let here = |op: &Op| op.row().exists_on(chip) && op.row().listed(generation);
    let elsewhere: Vec<Op> = ops.by_ref().collect();
    let called = elsewhere
        .iter()
        .filter(|op| here(op))
        .find_map(|op| op.row().mnemonic(generation));
    let (message, help) = match (called, elsewhere.first()) {
        (Some(called), _) if called == name || called == flat => (
            format!("`{called}` has no form `{word}` on {chip}"),
            (!suffix.is_empty()).then(|| format!("leave out `{suffix}`")),
        ),
        (Some(called), _) => (
            format!("{chip} has no `{word}`; other chips have"),
            Some(format!("on {chip} it is called `{called}`")),
        ),
        (None, _) if Op::all().any(|op| hidden(op.row(), chip, name)) => (
            format!("the llvm dialect has no `{word}`; {chip} has"),
            Some(
                "`--dialect clrx` assembles it; cases of `exec` take its words behind `.long`"
                    .into(),
            ),
        ),
        (None, Some(op)) => (
            format!("{chip} has no `{word}`; other chips have"),
            Some(owners(op.row(), |g| op.row().listed(g))),
        ),
        (None, None) if text[span.end..].trim_start().starts_with(':') => (
            format!("`{word}` is a label, and this is a single instruction"),
            Some("labels work in `asm`; here a branch has a distance, as in `s_branch -1`".into()),
        ),
        (None, None) => match Op::all().map(Op::row).find(|row| is_name(row, name)) {
            Some(row) => (
                format!("{chip} has no `{word}`; other chips have"),
                Some(format!("{}, in the clrx dialect", owners(row, |_| true))),
            ),
            None => (
                format!("`{word}` is no instruction of {chip}"),
                beginning(name, generation)
                    .or_else(|| nearest(name, generation).map(|n| format!("did you mean `{n}`?"))),
            ),
        },
    };
    ParseError {
        span,
        message,
        help,
    }
}

/// A name and the suffix of its form.
fn without_suffix(word: &str) -> (&str, &str) {
    let found = SUFFIXES.iter().find(|s| word.ends_with(**s));
    word.split_at(word.len() - found.map_or(0, |s| s.len()))
}

/// GLOBAL and SCRATCH stand in the table by the name that FLAT has.
fn with_flat(name: &str) -> String {
    let rest = ["global_", "scratch_"]
        .iter()
        .find_map(|s| name.strip_prefix(s));
    rest.map_or_else(|| name.to_string(), |rest| format!("flat_{rest}"))
}

/// Whether a row has the name on any generation that lists it.
fn named(row: &Row, name: &str) -> bool {
    GENERATIONS
        .iter()
        .any(|&g| row.listed(g) && row.mnemonic(g) == Some(name))
}

/// Whether a row has the name on any generation, in whatever dialect.
fn is_name(row: &Row, name: &str) -> bool {
    GENERATIONS.iter().any(|&g| row.mnemonic(g) == Some(name))
}

/// Whether a chip has a row by this name that LLVM does not list for it.
fn hidden(row: &Row, chip: Chip, name: &str) -> bool {
    let generation = chip.generation();
    row.exists_on(chip) && !row.listed(generation) && row.mnemonic(generation) == Some(name)
}

pub(super) const GENERATIONS: [Generation; 4] = [
    Generation::Gfx6,
    Generation::Gfx7,
    Generation::Gfx8,
    Generation::Gfx9,
];

/// Which chips have an instruction, of the generations whose dialect has it.
pub(super) fn owners(row: &Row, dialect_has: impl Fn(Generation) -> bool) -> String {
    match row.chips {
        Chips::Gfx906 => return "only gfx906 has it".into(),
        Chips::MadMix => return "the chips before gfx904 have it, and gfx909".into(),
        Chips::FmaMix => return "gfx904 and gfx906 have it".into(),
        Chips::All => {}
    }
    let have = |g: &usize| row.opcodes[*g].is_some() && dialect_has(GENERATIONS[*g]);
    let first = (0..4).find(have).unwrap_or_default() + 6;
    let last = (0..4).rev().find(have).unwrap_or_default() + 6;
    match (first, last) {
        (first, 9) => format!("it exists from gfx{first} on"),
        (first, last) if first == last => format!("it exists on gfx{first} alone"),
        (6, last) => format!("it exists up to gfx{last}"),
        (first, last) => format!("it exists from gfx{first} to gfx{last}"),
    }
}

/// The names of the generation of which a word is the first part.
fn beginning(word: &str, generation: Generation) -> Option<String> {
    let rows = Op::all().map(Op::row);
    let listed = rows.filter(|row| row.listed(generation));
    let names = listed.filter_map(|row| row.mnemonic(generation));
    let part = |name: &&str| name.strip_prefix(word).is_some_and(|r| r.starts_with('_'));
    let mut names: Vec<&str> = names.filter(part).collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then(|| format!("names that begin so: {}", some_of(&names)))
}

/// The name of the generation that is most like a word.
fn nearest(word: &str, generation: Generation) -> Option<&'static str> {
    let names = Op::all()
        .map(Op::row)
        .filter(|row| row.listed(generation))
        .filter_map(|row| row.mnemonic(generation))
        // No nearer than their lengths, which are cheaper to compare.
        .filter(|name| name.len().abs_diff(word.len()) <= 3);
    let all = names.map(|name| (strsim::damerau_levenshtein(name, word), name));
    all.min()
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, name)| name)
}

/// Adds to a failure what can be known from the line and the table.
pub(super) fn explained(
    mut error: ParseError,
    text: &str,
    word: &str,
    candidates: &[Candidate],
    chip: Chip,
) -> ParseError {
    let generation = chip.generation();
    if error.message.starts_with("offset ") {
        // The encoder does not know where the number stands.
        if let Some(at) = text.find("offset") {
            let rest = &text[at..];
            error.span = at..at + rest.find([' ', ',']).unwrap_or(rest.len());
        }
    }
    if error.help.is_some() {
        return error;
    }
    let (name, _) = without_suffix(word);
    let row = candidates.first().map(|(op, _)| op.row());
    let carries = row.is_some_and(writes_mask);
    let other = sibling(name, !carries, generation);
    if error.message == "expected a scalar register" && carries && is_second(text, &error) {
        let (before, after) = text.split_at(error.span.start);
        let line = format!("{before}vcc, {after}");
        error.help = Some(match other {
            Some(row) => format!(
                "`{name}` without carry {}; on {chip} write `{line}`",
                since(row, name),
            ),
            None => format!("the carry stands second: write `{line}`"),
        });
    } else if let (false, Some(row), true) = (carries, other, text.contains("vcc")) {
        let called = row.mnemonic(generation).unwrap_or(name);
        error.help = Some(format!("with carry it is called `{called}` on {chip}"));
    } else if error.message.ends_with("is no modifier") && follows_comma(text, &error) {
        let count = row.map_or(0, |row| row.operands.len());
        error.message = format!("`{name}` takes {count} operands");
    } else if error.message.ends_with("is no modifier") {
        let written = text.get(error.span.clone()).unwrap_or_default();
        let all = words().map(|w| (strsim::damerau_levenshtein(w, written), w));
        let near = all.min().filter(|(distance, _)| *distance <= 2);
        error.help = near.map(|(_, w)| format!("did you mean `{w}`?"));
    } else if error
        .message
        .starts_with("expected `,` and another operand")
    {
        let count = row.map_or(0, |row| row.operands.len());
        error.help = Some(format!("`{name}` takes {count} operands"));
    }
    error
}

/// Whether the carry, or a mask, stands after the result.
fn writes_mask(row: &Row) -> bool {
    row.operands.get(1).is_some_and(|s| s.field == Field::Sdst)
}

/// Whether an error is at the second operand.
fn is_second(text: &str, error: &ParseError) -> bool {
    text[..error.span.start].matches(',').count() == 1
}

/// Whether an error is where another operand would be.
fn follows_comma(text: &str, error: &ParseError) -> bool {
    text[..error.span.start].trim_end().ends_with(',')
}

/// The row that has a name on another generation, with or without carry.
fn sibling(name: &str, carries: bool, generation: Generation) -> Option<&'static Row> {
    let rows = Op::all().map(Op::row);
    let mut suited = rows.filter(|row| named(row, name) && writes_mask(row) == carries);
    suited.find(|row| row.mnemonic(generation) != Some(name))
}

/// From when on a row has a name.
fn since(row: &Row, name: &str) -> String {
    let first = GENERATIONS
        .iter()
        .position(|&g| row.mnemonic(g) == Some(name));
    format!("exists from gfx{}", first.unwrap_or_default() + 6)
}
