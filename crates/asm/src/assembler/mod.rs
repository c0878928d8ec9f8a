//! The assembler proper: appends statements to sections, and keeps their symbols and fixups.
//!
//! The statements come from a [session](crate::session), which reads the source.

mod branch;
mod counts;
mod define;
mod fixups;
mod instruction;
mod names;
mod operands;
mod output;
mod own_lines;
mod preparse;
mod registers;
mod space;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use wavetank_gcn::{Chip, Dialect, Encoded, Inst};
use wavetank_object::Target;

use crate::errors::LineError;
use crate::expression::{Expr, Reader, Values};
use crate::line::Line;
use crate::options::Options;
use crate::source::{Cursor, Origin, SyntaxError, syntax_error};
use crate::state::{
    Fixup, FixupKind, Lines, Location, Place, SectionId, Sections, Symbols, TooLarge,
};

pub(crate) use counts::{Counts, CountsKept};
pub(crate) use fixups::Resolution;
pub(crate) use preparse::{Preparsed, is_worthwhile, while_parsing};

/// The values of a source's symbols, found by a first reading for a second one that delivers each instruction at once.
pub(crate) type Known = HashMap<Rc<str>, KnownValue>;

/// The value of a symbol at the end of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KnownValue {
    Number(i64),
    /// A section, and an offset in it.
    Place(SectionId, u64),
}

/// A branch with the distance 0, and its bytes.
type Template = (Inst, Encoded);

/// The position of the statement that is being assembled.
#[derive(Debug, Default)]
pub(crate) struct Position {
    /// The text that the statement was read from.
    pub origin: Option<Rc<Origin>>,
    /// The number of the statement's line, from 1.
    pub line: usize,
    /// The byte offset in the text at which the line begins.
    pub start: usize,
    /// Bytes of the line before the statement.
    pub indent: usize,
}

/// The state of an assembly: the sections, symbols and fixups made so far, and the settings for further statements.
pub(crate) struct Assembler<'a> {
    pub chip: Chip,
    pub dialect: Dialect,
    pub target: Target,
    pub symbols: Symbols,
    pub sections: Sections,
    pub fixups: Vec<Fixup>,
    /// The rows of the line table.
    pub lines: Lines,
    /// Counts of the registers that instructions name.
    pub counts: CountsKept,
    /// The position of the statement that is being assembled.
    pub at: Position,
    pub errors: Vec<LineError>,
    /// Whether the caller ignores the text of errors.
    pub silent: bool,
    /// Values of symbols from a first reading, if there was one.
    known: Option<Known>,
    /// Instructions that threads have parsed ahead.
    pub preparsed: Option<Preparsed>,
    /// Templates of branches, by the text before their target.
    templates: HashMap<Box<str>, Template>,
    branches: &'static HashSet<&'static str>,
    /// Whether rows of the line table are made of the statements.
    has_own_lines: bool,
    /// Whether the chip's version also has the names of code object version 2.
    has_version_2: bool,
    /// The callback that gets each instruction.
    each: Option<&'a mut dyn FnMut(&Line)>,
    /// Instructions that wait for values, and all after them, with their places.
    held: Vec<(Line, Location)>,
}

impl<'a> Assembler<'a> {
    pub(crate) fn new(
        options: &Options<'_>,
        known: Option<Known>,
        each: Option<&'a mut dyn FnMut(&Line)>,
    ) -> Self {
        let mut assembler = Assembler {
            chip: options.chip,
            dialect: options.dialect,
            target: options.target.clone(),
            symbols: Symbols::default(),
            sections: Sections::new(),
            fixups: Vec::new(),
            lines: Lines::default(),
            counts: CountsKept::default(),
            at: Position::default(),
            errors: Vec::new(),
            silent: false,
            known,
            preparsed: None,
            templates: HashMap::new(),
            branches: names::branches(),
            has_own_lines: options.debug_lines,
            has_version_2: options.version == 2,
            each,
            held: Vec::new(),
        };
        assembler.symbols.has_halves = options.dialect == Dialect::Clrx;
        assembler.define_chip();
        for (name, number) in &options.defines {
            assembler.set_number(name, *number);
        }
        assembler
    }
}

/// Reading of operands, and appending to sections.
impl Assembler<'_> {
    /// Reads an expression, and replaces symbols whose numbers are known.
    pub(crate) fn expr(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, SyntaxError> {
        let here = self.sections.location();
        Reader::new(&mut self.symbols, here, self.dialect).read(cursor)
    }

    /// Reads an expression that must be a number by now.
    pub(crate) fn number(&mut self, cursor: &mut Cursor<'_>) -> Result<i64, SyntaxError> {
        let start = cursor.at();
        let expr = self.expr(cursor)?;
        let place = start..cursor.text()[..cursor.at()].trim_end().len();
        self.number_of(&expr, place)
    }

    /// Returns the number of an expression, or an error at `place` if it has none yet.
    pub(crate) fn number_of(&self, expr: &Expr, place: Range<usize>) -> Result<i64, SyntaxError> {
        let number = self.values().number(expr);
        number.map_err(|why| syntax_error(place, why))
    }

    /// Reads a number that is not negative.
    pub(crate) fn count(&mut self, cursor: &mut Cursor<'_>) -> Result<u64, SyntaxError> {
        let start = cursor.at();
        let number = self.number(cursor)?;
        let place = start..cursor.text()[..cursor.at()].trim_end().len();
        u64::try_from(number).map_err(|_| syntax_error(place, format_args!("{number} is negative")))
    }

    /// Reads an expression whose symbols are looked up whenever it is evaluated.
    pub(crate) fn open_expr(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, SyntaxError> {
        let here = self.sections.location();
        let mut reader = Reader::new(&mut self.symbols, here, self.dialect);
        reader.open().read(cursor)
    }

    /// Returns the context for evaluating expressions before all places are known.
    pub(crate) fn values(&self) -> Values<'_> {
        Values {
            symbols: &self.symbols,
            layout: None,
        }
    }

    /// Appends bytes to the current section.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), SyntaxError> {
        self.lines.begin_pending_row(self.sections.location());
        self.sections.append(bytes).map_err(too_large)
    }

    /// Adds a fixup for an expression that stands at `place` of the statement.
    pub(crate) fn wait(
        &mut self,
        location: Location,
        kind: FixupKind,
        expr: Expr,
        place: Range<usize>,
    ) {
        if let Some(place) = self.place(place) {
            self.fixups.push(Fixup {
                location,
                kind,
                expr,
                place,
            });
        }
    }

    /// Returns the source position of a range of the statement.
    pub(crate) fn place(&self, place: Range<usize>) -> Option<Place> {
        Some(Place {
            origin: self.at.origin.clone()?,
            line: self.at.line as u32,
            column: (self.at.indent + place.start) as u32,
            length: place.len() as u32,
        })
    }

    /// Keeps an error of another line than the current one.
    pub(crate) fn report(&mut self, error: LineError) {
        self.errors.push(error);
    }
}

/// Returns the error of sections that are too large.
pub(crate) fn too_large(_: TooLarge) -> SyntaxError {
    syntax_error(0..0, "the sections of a source have 256 megabytes at most")
}
