//! The assembler: reads statement after statement, and fills sections.

mod ahead;
mod finish;
mod instruction;
mod kernels;
mod line_table;
mod operands;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use wavetank_isa::{Chip, Dialect, ParseError};
use wavetank_object::Target;

use crate::directive::{
    Condition, Handler, Kernel, Lines as LineTable, Loop, Macro, Notes, Program, align_to, handlers,
};
use crate::errors::LineError;
use crate::expression::{Expr, Reader, Values};
use crate::files::Files;
use crate::signature::Signature;
use crate::source::{Cursor, Input, Inputs, Row, Statement, Wrong, first_word, statements, wrong};
use crate::state::{
    Definition, Fixup, FixupKind, NOP, Place, SectionId, Sections, Spot, Symbols, TooLarge,
};
use crate::{Line, Options, isa_version};

pub(crate) use instruction::Counts;
pub(crate) use operands::LITERAL;

/// Lines of macros and repetitions that are read at most: what goes on longer does so for ever.
const MOST_LINES: u64 = 10_000_000;

/// A round of a loop with a condition counts as so many, and so does a file that is included.
pub(crate) const ROUND: u64 = 100;

/// The values of a source's symbols: found by a first reading, for one that shows each instruction as it comes.
pub(crate) type Known = HashMap<Rc<str>, KnownValue>;

/// What a symbol stands for at the end of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KnownValue {
    Number(i64),
    /// The offset in a section.
    Place(SectionId, u64),
}

/// A source on its way.
pub(crate) struct Assembler<'a> {
    pub chip: Chip,
    pub dialect: Dialect,
    pub target: Target,
    pub files: &'a dyn Files,
    pub inputs: Inputs,
    pub symbols: Symbols,
    pub sections: Sections,
    pub fixups: Vec<Fixup>,
    pub macros: HashMap<Rc<str>, Rc<Macro>>,
    /// How many macros have been expanded: what `\@` stands for.
    pub expansions: u64,
    /// Whether macros take their operands as `.altmacro` has them.
    pub alternate: bool,
    pub conditions: Vec<Condition>,
    pub kernels: Vec<Kernel>,
    /// The conditions of repetitions that are being read, the innermost last.
    pub loops: Vec<Loop>,
    /// What only CLRX has: format and kernels.
    pub program: Program,
    pub notes: Notes,
    pub table: LineTable,
    /// Kernels that the source shall have.
    signatures: &'a [Signature],
    /// The most registers that instructions name so far, if somebody asks.
    pub counts: Option<Counts>,
    /// Whether `.end` has been read.
    pub ended: bool,
    handlers: &'static HashMap<&'static str, Handler>,
    known: Option<Known>,
    ahead: Option<ahead::Ahead>,
    templates: HashMap<Box<str>, instruction::Template>,
    branches: &'static HashSet<&'static str>,
    errors: Vec<LineError>,
    most: usize,
    /// Whether the text of errors is not needed.
    pub silent: bool,
    /// Whether nothing will be linked.
    alone: bool,
    /// Who gets the instructions.
    each: Option<&'a mut dyn FnMut(&Line)>,
    /// Instructions that have to wait for values, and those behind, with their places.
    held: Vec<(Line, Spot)>,
    /// The number of the line that is read, and what stands in it before the statement.
    line: usize,
    indent: usize,
    /// Where the line begins in its text.
    start: usize,
    lines: u64,
}

impl<'a> Assembler<'a> {
    pub fn new(
        name: &str,
        source: Rc<str>,
        options: &'a Options<'a>,
        known: Option<Known>,
        each: Option<&'a mut dyn FnMut(&Line)>,
    ) -> Self {
        // What asks for the registers that are used says so by these names.
        let asks = !options.kernels.is_empty()
            || [".next_free_", ".amdgcn.", ".include"]
                .iter()
                .any(|name| source.contains(name));
        let mut assembler = Assembler {
            chip: options.chip,
            dialect: options.dialect,
            target: options.target.clone(),
            files: options.files,
            inputs: Inputs::new(name.into(), source, options.dialect),
            symbols: Symbols::default(),
            sections: Sections::new(),
            fixups: Vec::new(),
            macros: HashMap::new(),
            expansions: 0,
            alternate: false,
            conditions: Vec::new(),
            kernels: Vec::new(),
            loops: Vec::new(),
            program: Program::new(),
            notes: Notes::new(options),
            table: LineTable::default(),
            signatures: &options.kernels,
            counts: asks.then(Counts::default),
            ended: false,
            handlers: handlers(options.dialect),
            known,
            ahead: None,
            templates: HashMap::new(),
            branches: operands::branches(),
            errors: Vec::new(),
            most: options.most_errors,
            silent: false,
            alone: false,
            each,
            held: Vec::new(),
            line: 0,
            indent: 0,
            start: 0,
            lines: 0,
        };
        assembler.symbols.has_halves = options.dialect == Dialect::Clrx;
        assembler.predefine(options);
        assembler
    }

    /// Goes on with the instructions of another chip.
    pub fn set_chip(&mut self, chip: Chip) {
        if chip != self.chip {
            self.chip = chip;
            self.templates.clear();
        }
        self.number_chip();
    }

    /// The numbers of the chip, for sources that ask.
    fn number_chip(&mut self) {
        let (major, minor, stepping) = isa_version(self.chip);
        for (name, number) in [
            (".amdgcn.gfx_generation_number", major),
            (".amdgcn.gfx_generation_minor", minor),
            (".amdgcn.gfx_generation_stepping", stepping),
            (".option.machine_version_major", major),
            (".option.machine_version_minor", minor),
            (".option.machine_version_stepping", stepping),
        ] {
            self.set_number(name, number.into());
        }
    }

    /// The symbols that a source may ask without having set them: those of the command line, and the chip's numbers.
    fn predefine(&mut self, options: &Options<'_>) {
        self.number_chip();
        for (name, number) in &options.defines {
            self.set_number(name, *number);
        }
        if self.counts.is_some() {
            self.set_number(".amdgcn.next_free_vgpr", 0);
            self.set_number(".amdgcn.next_free_sgpr", 0);
        }
    }

    /// Sets a variable to a number.
    pub fn set_number(&mut self, name: &str, number: i64) {
        let id = self.symbols.id(name);
        let symbol = &mut self.symbols[id];
        symbol.definition = Definition::Variable(Expr::Number(number));
        symbol.variable = true;
    }

    /// Reads all of it.
    pub fn read(&mut self) {
        while self.errors.len() < self.most && !self.ended {
            let Some(row) = self.inputs.row() else {
                match self.leave() {
                    true => continue,
                    false => break,
                }
            };
            self.line = row.number;
            self.start = row.range.start;
            self.lines += u64::from(self.inputs.is_inside());
            if self.lines > MOST_LINES && !self.endless() {
                break;
            }
            self.row(&row);
        }
        self.symbols.look_around();
    }

    /// How many lines of the source have not been read, because there were errors enough.
    pub fn unread(&self) -> usize {
        match self.ended {
            true => 0,
            false => self.inputs.unread(),
        }
    }

    /// Tells that too much has been read.
    fn endless(&mut self) -> bool {
        let message = format!(
            "macros and repetitions have made more than {MOST_LINES} lines: this does not end"
        );
        if let Some(input) = self.inputs.current() {
            let text = input.origin.text.lines().nth(self.line.saturating_sub(1));
            let error = *wrong(0..0, message);
            let error = LineError::new(&input.origin, self.line, text.unwrap_or_default(), error);
            self.errors.push(error);
        }
        false
    }

    /// Leaves the innermost text; `false` at the end of all.
    fn leave(&mut self) -> bool {
        let open = self.inputs.current().map_or(0, |input| input.conditions);
        if let Some(condition) = self
            .conditions
            .drain(open.min(self.conditions.len())..)
            .next()
        {
            self.errors.push(condition.never_ended());
        }
        if self.inputs.current().is_some_and(Input::has_condition) && self.goes_on() {
            self.lines += ROUND;
            self.inputs.rewind();
            return self.lines < MOST_LINES || self.endless();
        }
        self.end_comment();
        self.pop();
        self.inputs.current().is_some()
    }

    /// Keeps the error of a comment that the innermost text ends in.
    fn end_comment(&mut self) {
        let Some(input) = self.inputs.current() else {
            return;
        };
        if let Some((line, error)) = input.open_comment() {
            let origin = &input.origin;
            let error = LineError::new(origin, line, origin.line(line), *error);
            self.errors.push(error);
        }
    }

    /// Leaves the innermost text, and its condition.
    pub fn pop(&mut self) {
        if self.inputs.pop().is_some_and(|input| input.has_condition()) {
            self.loops.pop();
        }
    }

    fn row(&mut self, row: &Row) {
        let Some(input) = self.inputs.current() else {
            return;
        };
        let text = input.origin.text.clone();
        let line = row.line(&text);
        match self.line_ahead(row, line) {
            Ok(false) => {}
            Ok(true) => return,
            Err(error) => return self.wrong(row, *error),
        }
        for statement in statements(line, self.dialect) {
            let skips = self.conditions.last().is_some_and(|c| !c.reads());
            let done = match statement {
                Statement::Label { .. } if skips => Ok(()),
                Statement::Label { name, at } => self.label(name, at),
                Statement::Order { text, .. } if skips && !text.starts_with('.') => Ok(()),
                Statement::Order { text, indent } => {
                    self.indent = indent;
                    self.order(text, skips).map_err(|mut error| {
                        error.span = error.span.start + indent..error.span.end + indent;
                        error
                    })
                }
            };
            if let Err(error) = done {
                self.wrong(row, *error);
                if self.errors.len() >= self.most {
                    return;
                }
            }
        }
    }

    /// Defines a label here.
    fn label(&mut self, name: &str, at: usize) -> Result<(), Wrong> {
        if self.begins_kernel(name) {
            align_to(self, kernels::KERNEL_ALIGN, NOP, u64::MAX)?;
        }
        let spot = self.sections.spot();
        let id = match name.bytes().all(|b| b.is_ascii_digit()) {
            true => match name.parse() {
                Ok(number) => self.symbols.next_local(number),
                Err(_) => {
                    return Err(wrong(
                        at..at + name.len(),
                        "this number of a label is too large",
                    ));
                }
            },
            false => self.symbols.own(name),
        };
        let symbol = &mut self.symbols[id];
        match symbol.definition {
            Definition::Undefined => symbol.definition = Definition::Label(spot),
            // A kernel's own `.text` begins with its label, which CLRX writes there once more.
            Definition::Label(there) if there == spot && self.dialect == Dialect::Clrx => {}
            _ => {
                let message = format!("there is another label `{name}`");
                return Err(wrong(at..at + name.len(), message));
            }
        }
        self.program.labelled(name);
        Ok(())
    }

    /// A directive, an assignment, a macro or an instruction.
    fn order(&mut self, text: &str, skips: bool) -> Result<(), Wrong> {
        let word = first_word(text);
        let length = word.len();
        if !self.macros.is_empty() && !skips && self.expand(word, text)? {
            return Ok(());
        }
        if text.starts_with('.')
            && let Some(handler) = self.handler(word)
        {
            return match !skips || handler.decides() {
                true => handler.run(self, Cursor::new(text, length)),
                false => Ok(()),
            };
        }
        if skips {
            return Ok(());
        }
        let cursor = Cursor::new(text, length);
        if cursor.peek() == b'=' && length > 0 {
            return self.assignment(cursor, word);
        }
        match text.starts_with('.') {
            true => Err(self.no_directive(word)),
            false => self.instruction(text),
        }
    }

    fn handler(&self, word: &str) -> Option<&'static Handler> {
        let found = self.handlers.get(word);
        found.or_else(|| self.handlers.get(word.to_ascii_lowercase().as_str()))
    }

    fn no_directive(&self, word: &str) -> Wrong {
        let names = self.handlers.keys().copied();
        let names = names.chain(self.macros.keys().map(|name| &**name));
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        let (near, meant) = wavetank_quote::similar(word, names);
        let mut error = wrong(0..word.len(), format_args!("`{word}` is no directive"));
        error.help = near
            .first()
            .filter(|_| meant)
            .map(|name| format!("did you mean `{name}`?"));
        error
    }

    /// Reports what is wrong elsewhere than in the line that is read.
    pub fn report(&mut self, error: LineError) {
        self.errors.push(error);
    }

    /// Reports a wrong line.
    pub fn wrong(&mut self, row: &Row, error: ParseError) {
        if let Some(input) = self.inputs.current() {
            // What stands behind a macro in its line is read when the macro's text is the current one.
            let text = input.origin.text.get(row.range.clone()).unwrap_or_default();
            self.errors
                .push(LineError::new(&input.origin, row.number, text, error));
        }
    }
}

/// What directives ask for.
impl Assembler<'_> {
    /// Reads an expression.
    pub fn expr(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, Wrong> {
        let here = self.sections.spot();
        Reader::new(&mut self.symbols, here, self.dialect).read(cursor)
    }

    /// Reads an expression that is a number by now.
    pub fn number(&mut self, cursor: &mut Cursor<'_>) -> Result<i64, Wrong> {
        let start = cursor.at();
        let expr = self.expr(cursor)?;
        let place = start..cursor.text()[..cursor.at()].trim_end().len();
        self.number_of(&expr, place)
    }

    /// The number of an expression, if it is one by now.
    pub fn number_of(&self, expr: &Expr, place: Range<usize>) -> Result<i64, Wrong> {
        let number = self.values().number(expr);
        number.map_err(|why| wrong(place, why))
    }

    /// Reads a number that is not negative.
    pub fn count(&mut self, cursor: &mut Cursor<'_>) -> Result<u64, Wrong> {
        let start = cursor.at();
        let number = self.number(cursor)?;
        let place = start..cursor.text()[..cursor.at()].trim_end().len();
        u64::try_from(number).map_err(|_| wrong(place, format_args!("{number} is negative")))
    }

    /// What expressions are evaluated with, before all places are known.
    pub fn values(&self) -> Values<'_> {
        Values {
            symbols: &self.symbols,
            layout: None,
        }
    }

    /// Appends bytes to the section.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Wrong> {
        self.table.settle(self.sections.spot());
        self.sections.append(bytes).map_err(too_large)
    }

    /// Waits for the value of an expression that stands at some bytes of the statement.
    pub fn wait(&mut self, spot: Spot, kind: FixupKind, expr: Expr, place: Range<usize>) {
        if let Some(place) = self.place(place) {
            self.fixups.push(Fixup {
                spot,
                kind,
                expr,
                place,
            });
        }
    }

    /// Where some bytes of the statement stand.
    pub fn place(&self, place: Range<usize>) -> Option<Place> {
        let input = self.inputs.current()?;
        Some(Place {
            origin: input.origin.clone(),
            line: self.line as u32,
            column: (self.indent + place.start) as u32,
            length: place.len() as u32,
        })
    }

    /// So many lines more have been read than are told.
    pub fn count_lines(&mut self, lines: u64) {
        self.lines += lines;
    }

    /// The number of the line that is read.
    pub fn line(&self) -> usize {
        self.line
    }

    /// A directive reads lines of its own.
    pub fn set_line(&mut self, line: usize) {
        self.line = line;
    }

    /// How far into its line the statement begins.
    pub fn set_indent(&mut self, indent: usize) {
        self.indent = indent;
    }
}

/// The error of a section that is too large.
pub(crate) fn too_large(_: TooLarge) -> Wrong {
    wrong(0..0, "the sections of a source have 256 megabytes at most")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever stands behind the name of a directive, it is that directive.
    #[test]
    fn directives_are_known_whatever_follows() {
        for dialect in Dialect::ALL {
            let mut names: Vec<&str> = handlers(dialect).keys().copied().collect();
            names.sort_unstable();
            assert!(names.len() > 100);
            for name in names {
                for rest in ["(1)", "\"x\"", "-1", "", "\t1", "=1"] {
                    let source: Rc<str> = format!("{name}{rest}\n").into();
                    let options = Options {
                        dialect,
                        ..Options::new(Chip::Gfx900)
                    };
                    let mut assembler = Assembler::new("a.s", source, &options, None, None);
                    assembler.read();
                    let errors = assembler.take_errors();
                    let unknown = errors.iter().find(|error| {
                        let message = &error.error.message;
                        message.contains("is no directive") || message.contains("no instruction")
                    });
                    assert_eq!(unknown, None, "{name}{rest}");
                }
                // Where all is skipped, one that opens a condition needs an end of its own.
                let opens = name.starts_with(".if");
                let source: Rc<str> = format!(".if 0\n{name}(1)\n.endif\n").into();
                let options = Options {
                    dialect,
                    ..Options::new(Chip::Gfx900)
                };
                let mut assembler = Assembler::new("a.s", source, &options, None, None);
                assembler.read();
                let open = assembler
                    .take_errors()
                    .iter()
                    .any(|error| error.error.message == "this condition has no `.endif`");
                assert_eq!(open, opens, "{name}");
            }
        }
    }
}
