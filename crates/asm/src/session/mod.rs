//! The reader of a source: texts within texts, conditions, macros, loops, and the directives of each statement.
//!
//! A session reads statements for an [assembler](crate::assembler). Directives come as a table of functions from the modules
//! above, so that the session does not depend on them.

mod body;
mod condition;
mod expand;
mod kernel;
mod macros;
mod notes;
pub(crate) mod program;
mod repeat;

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use wavetank_gcn::{Chip, Dialect, ParseError};

use crate::assembler::{Assembler, Known, is_worthwhile, while_parsing};
use crate::errors::LineError;
use crate::files::Files;
use crate::line::Line;
use crate::message::Message;
use crate::options::Options;
use crate::signature::Signature;
use crate::source::{
    Cursor, Input, Inputs, Origin, Row, Statement, SyntaxError, first_word, statements,
    syntax_error,
};
use crate::state::{Definition, NOP};

pub(crate) use condition::{Condition, Loop};
pub(crate) use kernel::Kernel;
pub(crate) use macros::{LARGEST, Macro, Parameter, argument, arguments_of, substitute};
pub(crate) use notes::Notes;
use program::Program;

/// The limit of lines from macros and repetitions. A source that exceeds it is taken to be endless.
const MOST_LINES: u64 = 10_000_000;

/// The number of lines that an iteration of a conditional loop, or an included file, counts as.
pub(crate) const ROUND: u64 = 100;

/// The alignment of a kernel's code in bytes.
pub(crate) const KERNEL_ALIGN: u64 = 256;

/// The function of a directive, called with the cursor at its operands.
#[derive(Clone, Copy)]
enum Act {
    /// A function that needs only the assembler.
    Assembler(fn(&mut Assembler<'_>, Cursor<'_>) -> Result<(), SyntaxError>),
    Session(fn(&mut Session<'_>, Cursor<'_>) -> Result<(), SyntaxError>),
}

/// A directive: its name and its function.
#[derive(Clone, Copy)]
pub(crate) struct Handler {
    pub name: &'static str,
    act: Act,
    /// Whether the directive is read in skipped text as well, because it may end the skipping.
    decides: bool,
}

/// The directives of a dialect by name.
pub(crate) type Handlers = HashMap<&'static str, Handler>;

/// Makes the row of a directive.
pub(crate) const fn row(
    name: &'static str,
    act: fn(&mut Session<'_>, Cursor<'_>) -> Result<(), SyntaxError>,
) -> Handler {
    Handler {
        name,
        act: Act::Session(act),
        decides: false,
    }
}

/// Makes the row of a directive that needs only the assembler.
pub(crate) const fn assembler_row(
    name: &'static str,
    act: fn(&mut Assembler<'_>, Cursor<'_>) -> Result<(), SyntaxError>,
) -> Handler {
    Handler {
        name,
        act: Act::Assembler(act),
        decides: false,
    }
}

impl Handler {
    /// Makes the row of a directive that is read in skipped text as well.
    pub(crate) const fn deciding(
        name: &'static str,
        act: fn(&mut Session<'_>, Cursor<'_>) -> Result<(), SyntaxError>,
    ) -> Handler {
        Handler {
            decides: true,
            ..row(name, act)
        }
    }

    fn run(&self, session: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
        match self.act {
            Act::Assembler(act) => act(&mut session.asm, cursor),
            Act::Session(act) => act(session, cursor),
        }
    }
}

/// Returns the error of an end without a beginning.
pub(crate) fn alone(cursor: Cursor<'_>, beginning: &str) -> Result<(), SyntaxError> {
    Err(syntax_error(
        0..cursor.text().len(),
        format_args!("no `{beginning}` stands before"),
    ))
}

/// A source that is being read.
pub(crate) struct Session<'a> {
    pub asm: Assembler<'a>,
    pub files: &'a dyn Files,
    pub inputs: Inputs,
    pub macros: HashMap<Rc<str>, Rc<Macro>>,
    /// The number of macros expanded so far, which is the value of `\@`.
    pub expansions: u64,
    /// Whether macros read their operands by the rules of `.altmacro`.
    pub alternate: bool,
    pub conditions: Vec<Condition>,
    pub kernels: Vec<Kernel>,
    /// The conditions of repetitions that are being read, innermost last.
    pub loops: Vec<Loop>,
    /// The format and the kernels of CLRX's dialect.
    pub program: Program,
    pub notes: Notes,
    /// Kernels that are added to the source by signature.
    pub signatures: &'a [Signature],
    /// Whether `.end` has been read.
    pub ended: bool,
    pub handlers: &'static Handlers,
    pub max_errors: usize,
    messages: &'a dyn Fn(&Message),
    /// Whether the output will not be linked.
    pub alone: bool,
    /// The number of lines read from macros and repetitions.
    lines: u64,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        name: &str,
        source: Rc<str>,
        options: &'a Options<'a>,
        handlers: &'static Handlers,
        known: Option<Known>,
        each: Option<&'a mut dyn FnMut(&Line)>,
    ) -> Self {
        let mut asm = Assembler::new(options, known, each);
        // A source that uses the register counts has these names.
        let has_kernels = !options.kernels.is_empty()
            || [".next_free_", ".amdgcn.", ".include"]
                .iter()
                .any(|name| source.contains(name));
        if has_kernels {
            asm.count_all();
        }
        Session {
            asm,
            files: options.files,
            inputs: Inputs::new(name.into(), source, options.dialect),
            macros: HashMap::new(),
            expansions: 0,
            alternate: false,
            conditions: Vec::new(),
            kernels: Vec::new(),
            loops: Vec::new(),
            program: Program::new(),
            notes: Notes::new(options),
            signatures: &options.kernels,
            ended: false,
            handlers,
            max_errors: options.max_errors,
            messages: options.messages,
            alone: false,
            lines: 0,
        }
    }

    /// Reads a whole source. Threads parse the instructions of a long one ahead.
    pub(crate) fn read_all(&mut self, source: &Rc<str>) {
        if !is_worthwhile(source, self.asm.dialect) {
            return self.read();
        }
        while_parsing(source, self.asm.chip, |preparsed| {
            self.asm.preparsed = Some(preparsed);
            self.read();
            self.asm.preparsed = None;
        });
    }

    /// Reads the open texts to their end.
    pub(crate) fn read(&mut self) {
        while self.asm.errors.len() < self.max_errors && !self.ended {
            let Some(row) = self.inputs.row() else {
                if self.leave() { continue } else { break }
            };
            self.goes_to(&row);
            self.lines += u64::from(self.inputs.is_inside());
            if self.lines > MOST_LINES && !self.endless() {
                break;
            }
            self.row(&row);
        }
        self.asm.symbols.look_around();
    }

    /// Returns the number of lines that were not read because the limit of errors was reached.
    pub(crate) fn unread(&self) -> usize {
        if self.ended { 0 } else { self.inputs.unread() }
    }

    /// Reports that the limit of lines was reached.
    fn endless(&mut self) -> bool {
        let message = format!(
            "macros and repetitions have made more than {MOST_LINES} lines: this does not end"
        );
        if let Some(input) = self.inputs.current() {
            let text = input
                .origin
                .text
                .lines()
                .nth(self.asm.at.line.saturating_sub(1));
            let error = *syntax_error(0..0, message);
            let error = LineError::new(
                &input.origin,
                self.asm.at.line,
                text.unwrap_or_default(),
                error,
            );
            self.asm.errors.push(error);
        }
        false
    }

    /// Leaves the innermost text; `false` at the end of the last one.
    fn leave(&mut self) -> bool {
        let open = self.inputs.current().map_or(0, |input| input.conditions);
        if let Some(condition) = self
            .conditions
            .drain(open.min(self.conditions.len())..)
            .next()
        {
            self.asm.errors.push(condition.never_ended());
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

    /// Records an error if the innermost text ends within a comment.
    fn end_comment(&mut self) {
        let Some(input) = self.inputs.current() else {
            return;
        };
        if let Some((line, error)) = input.open_comment() {
            let origin = &input.origin;
            let error = LineError::new(origin, line, origin.line(line), *error);
            self.asm.errors.push(error);
        }
    }

    /// Leaves the innermost text, and its condition.
    pub(crate) fn pop(&mut self) {
        if self.inputs.pop().is_some_and(|input| input.has_condition()) {
            self.loops.pop();
        }
    }

    /// Moves the current position to a line of the current text.
    fn goes_to(&mut self, row: &Row) {
        let at = &mut self.asm.at;
        (at.line, at.start) = (row.number, row.range.start);
        let Some(input) = self.inputs.current() else {
            return;
        };
        let same = |origin: &Rc<Origin>| Rc::ptr_eq(origin, &input.origin);
        if !at.origin.as_ref().is_some_and(same) {
            at.origin = Some(input.origin.clone());
        }
    }

    fn row(&mut self, row: &Row) {
        let Some(input) = self.inputs.current() else {
            return;
        };
        let text = input.origin.text.clone();
        let line = row.line(&text);
        match self.preparsed_line(row, line) {
            Ok(false) => {}
            Ok(true) => return,
            Err(error) => return self.report_line(row, *error),
        }
        for statement in statements(line, self.asm.dialect) {
            let skips = self.conditions.last().is_some_and(|c| !c.reads);
            let done = match statement {
                Statement::Label { .. } if skips => Ok(()),
                Statement::Label { name, at } => self.label(name, at),
                Statement::Order { text, .. } if skips && !text.starts_with('.') => Ok(()),
                Statement::Order { text, indent } => {
                    self.asm.at.indent = indent;
                    self.order(text, skips).map_err(|mut error| {
                        error.span = error.span.start + indent..error.span.end + indent;
                        error
                    })
                }
            };
            if let Err(error) = done {
                self.report_line(row, *error);
                if self.asm.errors.len() >= self.max_errors {
                    return;
                }
            }
        }
    }

    /// Defines a label at the current location.
    fn label(&mut self, name: &str, at: usize) -> Result<(), SyntaxError> {
        if self.begins_kernel(name) {
            self.asm.align_to(KERNEL_ALIGN, NOP, u64::MAX)?;
        }
        let location = self.asm.sections.location();
        let id = if name.bytes().all(|b| b.is_ascii_digit()) {
            match name.parse() {
                Ok(number) => self.asm.symbols.next_local(number),
                Err(_) => {
                    return Err(syntax_error(
                        at..at + name.len(),
                        "this number of a label is too large",
                    ));
                }
            }
        } else {
            self.asm.symbols.own(name)
        };
        let symbol = &mut self.asm.symbols[id];
        match symbol.definition {
            Definition::Undefined => symbol.definition = Definition::Label(location),
            // A kernel's own `.text` defines its label already, and CLRX's sources write the label there once more.
            Definition::Label(there) if there == location && self.asm.dialect == Dialect::Clrx => {}
            _ => {
                let message = format!("there is another label `{name}`");
                return Err(syntax_error(at..at + name.len(), message));
            }
        }
        if let Some(kernel) = self.program.labelled(name) {
            self.asm.counts.owners = vec![kernel];
        }
        Ok(())
    }

    /// Handles a directive, an assignment, a macro or an instruction.
    fn order(&mut self, text: &str, skips: bool) -> Result<(), SyntaxError> {
        let word = first_word(text);
        let length = word.len();
        if !self.macros.is_empty() && !skips && self.expand(word, text)? {
            return Ok(());
        }
        if text.starts_with('.')
            && let Some(handler) = self.handler(word)
        {
            return if !skips || handler.decides {
                handler.run(self, Cursor::new(text, length))
            } else {
                Ok(())
            };
        }
        if skips {
            return Ok(());
        }
        let cursor = Cursor::new(text, length);
        if cursor.peek() == b'=' && length > 0 {
            return self.asm.assignment(cursor, word);
        }
        if text.starts_with('.') {
            Err(self.no_directive(word))
        } else {
            self.asm.instruction(text)
        }
    }

    fn handler(&self, word: &str) -> Option<&'static Handler> {
        let found = self.handlers.get(word);
        found.or_else(|| self.handlers.get(word.to_ascii_lowercase().as_str()))
    }

    fn no_directive(&self, word: &str) -> SyntaxError {
        let names = self.handlers.keys().copied();
        let names = names.chain(self.macros.keys().map(|name| &**name));
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        let (near, meant) = wavetank_quote::similar(word, names);
        let mut error = syntax_error(0..word.len(), format_args!("`{word}` is not a directive"));
        error.help = near
            .first()
            .filter(|_| meant)
            .map(|name| format!("did you mean `{name}`?"));
        error
    }

    /// Passes a text to the receiver of messages.
    pub(crate) fn print(&self, text: String) {
        if !self.asm.silent {
            (self.messages)(&Message::Print(text));
        }
    }

    /// Passes a warning about the current statement to the receiver of messages. The range of its error is in the statement.
    pub(crate) fn warn(&self, warning: ParseError) {
        let at = &self.asm.at;
        let Some(origin) = at.origin.as_ref().filter(|_| !self.asm.silent) else {
            return;
        };
        let span = warning.span.start + at.indent..warning.span.end + at.indent;
        let warning = ParseError { span, ..warning };
        (self.messages)(&Message::Warning {
            source: self.inputs.name().to_owned(),
            line: Box::new(LineError::new(
                origin,
                at.line,
                origin.line(at.line),
                warning,
            )),
        });
    }

    /// Reports an error in a line of the current text.
    pub(crate) fn report_line(&mut self, row: &Row, error: ParseError) {
        if let Some(input) = self.inputs.current() {
            // The rest of a line after a macro is read while the macro's text is the current one.
            let text = input.origin.text.get(row.range.clone()).unwrap_or_default();
            self.asm
                .errors
                .push(LineError::new(&input.origin, row.number, text, error));
        }
    }

    /// Assembles a line that consists of one preparsed instruction without names; returns `false` if it does not. In `line`,
    /// comments are blanks.
    fn preparsed_line(&mut self, row: &Row, line: &str) -> Result<bool, SyntaxError> {
        let skips = self.conditions.last().is_some_and(|c| !c.reads);
        let (Some(preparsed), Some(input), false) =
            (&mut self.asm.preparsed, self.inputs.current(), skips)
        else {
            return Ok(false);
        };
        let Some(parsed) = preparsed.within(&input.origin.text, &row.range, self.asm.chip) else {
            return Ok(false);
        };
        let (place, (inst, code), first_chars) =
            (parsed.place.clone(), parsed.inst, parsed.first_chars);
        let indent = place.start - row.range.start;
        let Some((before, order)) = line.split_at_checked(indent) else {
            return Ok(false);
        };
        let order = order.trim_end();
        // Checks that nothing else stands in the line.
        let alone = order == &input.origin.text[place] && before.trim_ascii().is_empty();
        if !alone || self.is_macro(first_word(order)) || self.asm.may_be_named(first_chars, order) {
            return Ok(false);
        }
        self.asm.at.indent = indent;
        self.asm.put(&inst, code, None, order)?;
        Ok(true)
    }

    /// Whether a label names a kernel, whose code begins at a multiple of 256 bytes (LLVM's "User Guide for AMDGPU Backend",
    /// "Kernel Descriptor", `KERNEL_CODE_ENTRY_BYTE_OFFSET`).
    fn begins_kernel(&self, label: &str) -> bool {
        self.signatures.iter().any(|kernel| kernel.name == label)
    }

    /// Fails if another chip was requested than the source names.
    pub(crate) fn allows(&self, chip: Chip, place: Range<usize>) -> Result<(), SyntaxError> {
        if self.notes.fixed && chip != self.asm.chip {
            let (requested, named) = (self.asm.chip.name(), chip.name());
            let message =
                format!("this source is for {named}, not for {requested}, which was requested");
            return Err(syntax_error(place, message));
        }
        Ok(())
    }

    /// Adds to the count of lines, for work that costs more than the lines read.
    pub(crate) fn count_lines(&mut self, lines: u64) {
        self.lines += lines;
    }
}
