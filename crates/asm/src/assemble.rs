//! A source to instructions, line by line.

use std::fmt;

use thiserror::Error;
use wavetank_isa::text::parse_at;
use wavetank_isa::{Chip, Dialect, Encoded, Inst, ParseError, encode};
use wavetank_quote::brief;

use crate::label::{Labels, target};
use crate::source::{Lines, Statement, may_have_labels, statements};

/// An instruction of a source.
#[derive(Clone, Debug)]
pub struct Line {
    /// The number of its line, from 1.
    pub number: usize,
    /// Where it stands in the code, in bytes.
    pub address: u64,
    /// The instruction.
    pub inst: Inst,
    code: Encoded,
}

impl Line {
    /// Its 4 or 8 bytes, in the order of memory.
    pub fn bytes(&self) -> &[u8] {
        self.code.as_bytes()
    }
}

/// A line that is wrong: shown with its number, the line, and a caret under the place.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct LineError {
    /// The number of the line, from 1.
    pub number: usize,
    /// The line as it was written.
    pub text: String,
    /// What is wrong; its place is one of `text`.
    pub error: ParseError,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineError {
            number,
            text,
            error,
        } = self;
        write!(f, "line {number}: {error}\n{}", error.snippet(text))
    }
}

/// Every wrong line of a source, in order.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct Errors(pub Vec<LineError>);

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, error) in self.0.iter().enumerate() {
            let end = if n == 0 { "" } else { "\n" };
            write!(f, "{end}{error}")?;
        }
        Ok(())
    }
}

/// Assembles a source: instructions, labels and comments, one statement a line (CLRX parts several by `;`).
///
/// `each` gets the instructions in order, also those around lines that are wrong. Code begins at address 0.
///
/// # Errors
///
/// All wrong lines of the source: what is no instruction, a label that there is not, or is twice.
///
/// ```
/// use wavetank_asm::assemble;
/// use wavetank_isa::{Chip, Dialect};
///
/// let mut texts = Vec::new();
/// let errors = assemble("s_nop 1\ns_nop s0\ns_branch end", Chip::Gfx900, Dialect::Llvm, |line| {
///     texts.push(line.inst.to_string());
/// });
/// let errors = errors.unwrap_err().0;
/// assert_eq!(texts, ["s_nop 1"]);
/// assert_eq!((errors[0].number, errors[1].number), (2, 3));
/// assert_eq!(errors[1].error.message, "there is no label `end`");
/// ```
pub fn assemble(
    source: &str,
    chip: Chip,
    dialect: Dialect,
    each: impl FnMut(&Line),
) -> Result<(), Errors> {
    assemble_until(source, chip, dialect, usize::MAX, each)
}

/// As [`assemble`], but ends at the `most`th error: where so many lines are wrong, the file is.
///
/// # Errors
///
/// The first wrong lines of the source, at most `most`.
pub fn assemble_until(
    source: &str,
    chip: Chip,
    dialect: Dialect,
    most: usize,
    mut each: impl FnMut(&Line),
) -> Result<(), Errors> {
    let mut assembler = Assembler {
        // Editors of other systems put a byte order mark before UTF-8.
        source: source.strip_prefix('\u{feff}').unwrap_or(source),
        chip,
        dialect,
        labels: Labels::default(),
        errors: Vec::new(),
        most,
    };
    assembler.find_labels();
    let labels = std::mem::take(&mut assembler.labels);
    assembler.pass(&mut |assembler, number, written, address, text, indent| {
        let line = assembler.line(text, address, &labels);
        match line.and_then(|inst| Ok((inst, encode(&inst).map_err(whole(text))?))) {
            Ok((inst, code)) => {
                let length = code.as_bytes().len();
                each(&Line {
                    number,
                    address,
                    inst,
                    code,
                });
                length
            }
            Err(error) => {
                assembler.wrong(number, written, shifted(error, indent));
                4
            }
        }
    });
    match assembler.errors.is_empty() {
        true => Ok(()),
        false => {
            assembler.errors.sort_by_key(|e| e.number);
            Err(Errors(assembler.errors))
        }
    }
}

/// A source on its way.
struct Assembler<'a> {
    source: &'a str,
    chip: Chip,
    dialect: Dialect,
    labels: Labels,
    errors: Vec<LineError>,
    /// How many errors end the work.
    most: usize,
}

/// What a pass does with an instruction: gets the number of the line, the line, the address, the text and where it
/// stands in the line; gives the length of the code.
type Visit<'v> = dyn FnMut(&mut Assembler<'_>, usize, &str, u64, &str, usize) -> usize + 'v;

impl Assembler<'_> {
    /// Goes over the instructions.
    fn pass(&mut self, visit: &mut Visit<'_>) {
        let mut address = 0;
        for (number, written, line) in Lines::new(self.source, self.dialect) {
            for statement in statements(&line, self.dialect) {
                if self.errors.len() >= self.most {
                    return;
                }
                if let Statement::Instruction { text, indent } = statement {
                    address += visit(self, number, written, address, text, indent) as u64;
                }
            }
        }
    }

    /// Puts every label at its address. How long an instruction is does not depend on where its target lies. Sources
    /// without labels are spared the pass.
    fn find_labels(&mut self) {
        if !may_have_labels(self.source) {
            return;
        }
        let mut address = 0;
        for (number, written, line) in Lines::new(self.source, self.dialect) {
            for statement in statements(&line, self.dialect) {
                if self.errors.len() >= self.most {
                    return;
                }
                match statement {
                    Statement::Label(name) if !self.labels.define(name, address) => {
                        let at = written.find(name).unwrap_or_default();
                        let message = format!("there is another label `{name}`");
                        self.wrong(number, written, wrong(at..at + name.len(), message));
                    }
                    Statement::Label(_) => {}
                    Statement::Instruction { text, .. } => address += self.length(text),
                }
            }
        }
    }

    /// The length of an instruction; what is none is reported by the pass that assembles.
    fn length(&self, text: &str) -> u64 {
        let inst = match target(text) {
            Some(_) => return 4,
            None => parse_at(text, self.chip, self.dialect, 0),
        };
        inst.map_or(4, |inst| inst.len.into())
    }

    /// Parses an instruction, its label replaced by the number that it stands for.
    fn line(&self, text: &str, address: u64, labels: &Labels) -> Result<Inst, ParseError> {
        let Some(place) = target(text) else {
            return parse_at(text, self.chip, self.dialect, address);
        };
        let to = labels.resolve(&text[place.clone()], address);
        let to = to.map_err(|name| {
            let span = place.start..place.start + name.len();
            wrong(span, format!("there is no label `{name}`"))
        })?;
        let from = address as i64 + 4;
        let words = (to - from) / 4;
        if (to - from) % 4 != 0 || i16::try_from(words).is_err() {
            let message = match (to - from) % 4 {
                0 => format!("the label is {words} dwords away: a branch reaches -32768 to 32767"),
                _ => "a branch leads to a multiple of 4 bytes".to_owned(),
            };
            return Err(wrong(place, message));
        }
        let number = match self.dialect {
            Dialect::Llvm => words,
            Dialect::Clrx => to,
        };
        let line = format!("{}{number}", &text[..place.start]);
        parse_at(&line, self.chip, self.dialect, address)
    }

    fn wrong(&mut self, number: usize, written: &str, error: ParseError) {
        self.errors.push(LineError {
            number,
            text: written.to_owned(),
            error,
        });
    }
}

fn wrong(span: std::ops::Range<usize>, message: String) -> ParseError {
    ParseError {
        span,
        message: brief(&message),
        help: None,
    }
}

/// An error about a whole instruction.
fn whole<E: fmt::Display>(text: &str) -> impl Fn(E) -> ParseError {
    let length = text.len();
    move |error| wrong(0..length, error.to_string())
}

/// The error of an instruction that begins `indent` bytes into its line.
fn shifted(mut error: ParseError, indent: usize) -> ParseError {
    error.span = error.span.start + indent..error.span.end + indent;
    error
}
