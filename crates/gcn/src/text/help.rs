//! Suggestions for lines that are not an instruction.
//!
//! Names that changed between generations, and chips that have an instruction, are derived from the rows of the table.

use std::ops::Range;

use wavetank_quote::some_of;

use super::failure::ParseError;
use super::mnemonic::Candidate;
use super::shared_modifiers::{FLAGS, words};
use crate::generation::{Chip, Generation};
use crate::later::{EXECUTED_CHIPS, LaterArchitecture};
use crate::tables::{Chips, Field, Op, Row};

/// The suffixes of a name that select a form.
const SUFFIXES: [&str; 4] = ["_e32", "_e64", "_sdwa", "_dpp"];

/// Returns the error of a word that is not a mnemonic of a chip.
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
        .find_map(|op| op.row().name(chip));
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
                "`--dialect clrx` assembles it; cases of `exec` take its words after `.long`"
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
                format!("`{word}` is not an instruction of {chip}"),
                of_later(name)
                    .or_else(|| beginning(name, chip))
                    .or_else(|| nearest(name, chip).map(|n| format!("did you mean `{n}`?"))),
            ),
        },
    };
    ParseError {
        span,
        message,
        help,
    }
}

/// Splits a name from the suffix of its form.
fn without_suffix(word: &str) -> (&str, &str) {
    let found = SUFFIXES.iter().find(|s| word.ends_with(**s));
    word.split_at(word.len() - found.map_or(0, |s| s.len()))
}

/// Returns the name that the table has: for GLOBAL and SCRATCH, that of FLAT.
fn with_flat(name: &str) -> String {
    let rest = ["global_", "scratch_"]
        .iter()
        .find_map(|s| name.strip_prefix(s));
    rest.map_or_else(|| name.to_string(), |rest| format!("flat_{rest}"))
}

/// Returns whether a row has the name on any generation that lists it.
fn named(row: &Row, name: &str) -> bool {
    GENERATIONS
        .iter()
        .any(|&g| row.listed(g) && row.mnemonic(g) == Some(name))
        || row.renamed.is_some_and(|(renamed, _)| renamed == name)
}

/// Returns whether a row has the name on any generation, in any dialect.
fn is_name(row: &Row, name: &str) -> bool {
    GENERATIONS.iter().any(|&g| row.mnemonic(g) == Some(name))
}

/// Returns whether a chip has a row by this name that LLVM does not list for it.
fn hidden(row: &Row, chip: Chip, name: &str) -> bool {
    let generation = chip.generation();
    row.exists_on(chip) && !row.listed(generation) && row.name(chip) == Some(name)
}

pub(super) const GENERATIONS: [Generation; 4] = [
    Generation::Gfx6,
    Generation::Gfx7,
    Generation::Gfx8,
    Generation::Gfx9,
];

/// Names the chips that have an instruction, among the generations whose dialect has it.
pub(super) fn owners(row: &Row, dialect_has: impl Fn(Generation) -> bool) -> String {
    let have = |g: &usize| row.opcodes[*g].is_some() && dialect_has(GENERATIONS[*g]);
    let first = (0..4).find(have).unwrap_or_default() + 6;
    let last = (0..4).rev().find(have).unwrap_or_default() + 6;
    let chips = |has: bool| {
        let gfx9 = Chip::all().filter(|chip| chip.generation() == Generation::Gfx9);
        let names = gfx9.filter(|chip| row.chips.include(*chip) == has);
        names.map(Chip::name).collect::<Vec<_>>()
    };
    match (first, last) {
        (9, 9) if row.chips != Chips::ALL => match &chips(true)[..] {
            [one] => format!("only {one} has it"),
            [names @ .., last] if !row.chips.intersects(Chips::VEGA) => {
                format!("chips of CDNA have it: {} and {last}", names.join(", "))
            }
            [names @ .., last] => format!("{} and {last} have it", names.join(", ")),
            [] => "no chip has it".into(),
        },
        (first, 9) if row.chips != Chips::ALL => {
            format!(
                "it exists from gfx{first} on, except on {}",
                chips(false).join(", ")
            )
        }
        (first, 9) => format!("it exists from gfx{first} on"),
        (first, last) if first == last => format!("it exists on gfx{first} alone"),
        (6, last) => format!("it exists up to gfx{last}"),
        (first, last) => format!("it exists from gfx{first} to gfx{last}"),
    }
}

/// Returns the sentence about an instruction of an architecture after GCN.
pub(super) fn of_later(name: &str) -> Option<String> {
    let architecture = LaterArchitecture::of_instruction(name)?;
    Some(format!(
        "it is an instruction of {architecture}: {EXECUTED_CHIPS}"
    ))
}

/// Returns the names of the chip that begin with a word.
fn beginning(word: &str, chip: Chip) -> Option<String> {
    let names = names(chip);
    let part = |name: &&str| name.strip_prefix(word).is_some_and(|r| r.starts_with('_'));
    let mut names: Vec<&str> = names.filter(part).collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then(|| format!("names that begin so: {}", some_of(&names)))
}

/// Returns the name of the chip that is most similar to a word.
fn nearest(word: &str, chip: Chip) -> Option<&'static str> {
    alike_name(word, names(chip))
}

/// Returns the names of the instructions of a chip.
fn names(chip: Chip) -> impl Iterator<Item = &'static str> {
    let rows = Op::all().map(Op::row);
    let here = rows.filter(move |row| row.listed(chip.generation()) && row.exists_on(chip));
    here.filter_map(move |row| row.name(chip))
}

/// Returns the most similar name of an instruction, unless too much of it differs: `v_div_f32` is not a slip for `v_min_f32`.
pub(super) fn alike_name<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    alike_where(word, names, 2, |name| is_slip(word, name))
}

/// Returns whether a word may be a name with slips: one letter, or two that are few of the parts that they are in.
fn is_slip(word: &str, name: &str) -> bool {
    let (parts, others) = (word.split('_'), name.split('_'));
    let is_near = |(part, other): (&str, &str)| {
        let apart = strsim::damerau_levenshtein(part, other);
        apart < 2 || apart * 2 < other.len()
    };
    strsim::damerau_levenshtein(word, name) < 2
        || parts.clone().count() == others.clone().count() && parts.zip(others).all(is_near)
}

/// Returns the most similar name, within a limit of letters that are replaced, missing, added or exchanged.
pub(super) fn alike<'n>(
    word: &str,
    names: impl Iterator<Item = &'n str>,
    most: usize,
) -> Option<&'n str> {
    alike_where(word, names, most, |_| true)
}

/// Returns the most similar name among those that fit.
fn alike_where<'n>(
    word: &str,
    names: impl Iterator<Item = &'n str>,
    most: usize,
    fits: impl Fn(&str) -> bool,
) -> Option<&'n str> {
    let letters = Letters::of(word);
    let near = names.filter(|name| {
        name.len().abs_diff(word.len()) <= most && Letters::of(name).apart(&letters) <= most
    });
    let all = near.map(|name| (strsim::damerau_levenshtein(name, word), name));
    let found = all.filter(|(distance, name)| *distance <= most && fits(name));
    found.min().map(|(_, name)| name)
}

/// The number of occurrences of each letter in a word, up to 255; letters that are 32 apart count as one.
struct Letters([u8; 32]);

impl Letters {
    fn of(word: &str) -> Letters {
        let mut counts = [0u8; 32];
        for letter in word.bytes() {
            let count = &mut counts[usize::from(letter % 32)];
            *count = count.saturating_add(1);
        }
        Letters(counts)
    }

    /// Returns how many letters one word has in excess of the other, regardless of order. This is a lower bound of the distance,
    /// and takes a thousandth of the time: a table has thousands of names.
    fn apart(&self, other: &Letters) -> usize {
        let pairs = self.0.iter().zip(&other.0);
        let (more, fewer) = pairs.fold((0, 0), |(more, fewer), (a, b)| {
            let more = more + u16::from(a.saturating_sub(*b));
            (more, fewer + u16::from(b.saturating_sub(*a)))
        });
        more.max(fewer).into()
    }
}

/// Adds hints to a failure that follow from the line and the table.
pub(super) fn explained(
    mut error: ParseError,
    text: &str,
    word: &str,
    candidates: &[Candidate],
    chip: Chip,
) -> ParseError {
    let generation = chip.generation();
    if error.message.starts_with("offset ") {
        // The encoder does not have the position of the number.
        if let Some(at) = text.find("offset") {
            let value = text[at..].find(':').map_or(at, |colon| at + colon + 1);
            let rest = text[value..].trim_start();
            let length = rest.find([' ', ',']).unwrap_or(rest.len());
            error.span = at..text.len() - rest.len() + length;
        }
    }
    if error.help.is_some() {
        return error;
    }
    let (name, _) = without_suffix(word);
    let row = candidates.first().map(|(op, _)| op.row());
    let carries = row.is_some_and(writes_mask);
    let other = sibling(name, !carries, generation);
    let operand = second(text);
    let is_carry_missing = match error.message.as_str() {
        "expected a scalar register" => is_second(text, &error),
        message => {
            let count = row.map_or(0, |row| row.operands.len());
            message.starts_with("expected `,`") && lacks_carry(text, count)
        }
    };
    if let (true, true, Some(operand)) = (carries, is_carry_missing, operand) {
        let (before, after) = text.split_at(operand);
        let line = format!("{before}vcc, {after}");
        error.help = Some(match other {
            Some(row) => format!(
                "`{name}` without carry {}; on {chip} write `{line}`",
                since(row, name),
            ),
            None => format!("the carry stands second: write `{line}`"),
        });
    } else if let (false, Some(row), true) = (carries, other, text.contains("vcc")) {
        let called = row.name(chip).unwrap_or(name);
        error.help = Some(format!("with carry it is called `{called}` on {chip}"));
    } else if error.message.ends_with("is not a modifier") && follows_comma(text, &error) {
        let count = row.map_or(0, |row| row.operands.len());
        error.message = format!("`{name}` takes {count} operands");
    } else if error.message.ends_with("is not a modifier") {
        let written = text.get(error.span.clone()).unwrap_or_default();
        let denied = written.strip_prefix("no").unwrap_or_default();
        let flag = alike(denied, FLAGS.iter().map(|(word, _)| *word), 1);
        let meant = match alike(written, words(), 2) {
            Some(word) => Some(word.to_owned()),
            None => flag.map(|flag| format!("no{flag}")),
        };
        error.help = meant.map(|word| format!("did you mean `{word}`?"));
    } else if error
        .message
        .starts_with("expected `,` and another operand")
    {
        let count = row.map_or(0, |row| row.operands.len());
        error.help = Some(format!("`{name}` takes {count} operands"));
    }
    error
}

/// Returns whether a carry or mask follows the result.
fn writes_mask(row: &Row) -> bool {
    row.operands.get(1).is_some_and(|s| s.field == Field::Sdst)
}

/// Returns whether an error is at the second operand.
fn is_second(text: &str, error: &ParseError) -> bool {
    text[..error.span.start].matches(',').count() == 1
}

/// Returns the position of the second operand.
fn second(text: &str) -> Option<usize> {
    let rest = text.split_once(',')?.1.trim_start();
    Some(text.len() - rest.len())
}

/// Returns whether a line has one operand fewer than expected, and the second one is not a carry.
fn lacks_carry(text: &str, operands: usize) -> bool {
    let is_carry = |operand: &str| operand == "vcc" || operand.contains(['[', ':']);
    let mut written = text.split(',').map(str::trim);
    let has_carry = written.nth(1).is_some_and(is_carry);
    text.matches(',').count() + 2 == operands && !has_carry
}

/// Returns whether an error is at the place of a further operand.
fn follows_comma(text: &str, error: &ParseError) -> bool {
    text[..error.span.start].trim_end().ends_with(',')
}

/// Returns the row that has a name on another generation, with or without carry.
fn sibling(name: &str, carries: bool, generation: Generation) -> Option<&'static Row> {
    let rows = Op::all().map(Op::row);
    let mut suited = rows.filter(|row| named(row, name) && writes_mask(row) == carries);
    suited.find(|row| row.mnemonic(generation) != Some(name))
}

/// Returns the generation from which on a row has a name.
fn since(row: &Row, name: &str) -> String {
    let first = GENERATIONS
        .iter()
        .position(|&g| row.mnemonic(g) == Some(name));
    format!("exists from gfx{}", first.unwrap_or_default() + 6)
}
