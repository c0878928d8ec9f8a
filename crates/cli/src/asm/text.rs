//! The output of `wavetank asm`: canonical text, JSON, and errors.

use std::cell::{Cell, OnceCell};
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};

use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use wavetank_asm::{Errors, Line};
use wavetank_gcn::Dialect;

use wavetank_quote::plain;

use crate::exit::Result;
use crate::output::{Output, Stdout, stdout_result};
use crate::wrong_lines::Wrong;

use super::messages::Messages;

/// Prints the instructions as canonical text, with their bytes if `show_encoding` is set.
pub(crate) fn text(
    run: impl Run,
    dialect: Dialect,
    show_encoding: bool,
) -> Result<Result<(), Errors>> {
    let mut out = Output::new();
    let done = run(&mut |line| {
        // Writing to a string does not fail.
        let _ = line.print(dialect, &mut out.text);
        if show_encoding {
            out.text.push_str(" ; encoding: [");
            for (n, byte) in line.bytes().iter().enumerate() {
                let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
                let shown = [b',', b'0', b'x', digit(byte >> 4), digit(byte & 15)];
                // ASCII text, without the comma before the first.
                let shown = &shown[usize::from(n == 0)..];
                out.text
                    .push_str(std::str::from_utf8(shown).unwrap_or_default());
            }
            out.text.push(']');
            if let Some(symbol) = line.waits_for() {
                // Writing to a string does not fail.
                let _ = write!(out.text, ", a linker fills in {}", plain(symbol));
            }
        }
        out.text.push('\n');
        out.settle();
    });
    out.finish()?;
    Ok(done)
}

/// Prints the instructions and errors as JSON. The assembly stops at `max_errors` errors.
pub(super) fn json(
    run: impl Run,
    dialect: Dialect,
    max_errors: usize,
    messages: &Messages,
) -> Result<Result<(), Errors>> {
    let done = OnceCell::new();
    let instructions = Instructions {
        run: Cell::new(Some(run)),
        dialect,
        done: &done,
    };
    let report = Report {
        instructions,
        messages,
        errors: &done,
        stopped: Stopped {
            done: &done,
            max_errors,
        },
    };
    let mut out = BufWriter::new(Stdout::lock());
    let written = serde_json::to_writer_pretty(&mut out, &report);
    let written = written.map_err(std::io::Error::from);
    stdout_result(
        written
            .and_then(|()| writeln!(out))
            .and_then(|()| out.flush())
            .err(),
    )?;
    // Missing only if the reader of the text has closed it.
    Ok(done.into_inner().unwrap_or(Ok(())))
}

/// A function that assembles the source, and passes each line to a visitor.
pub(crate) trait Run: FnOnce(&mut dyn FnMut(&Line)) -> Result<(), Errors> {}

impl<R: FnOnce(&mut dyn FnMut(&Line)) -> Result<(), Errors>> Run for R {}

/// The instructions, which are serialized while they are assembled, and then messages and errors. No instructions are stored.
#[derive(Serialize)]
#[serde(bound = "R: Run")]
struct Report<'r, R: Run> {
    instructions: Instructions<'r, R>,
    /// Absent if the source has none.
    #[serde(skip_serializing_if = "Messages::is_empty")]
    messages: &'r Messages,
    #[serde(serialize_with = "wrong_lines")]
    errors: &'r OnceCell<Result<(), Errors>>,
    /// Read after the source has been assembled.
    #[serde(skip_serializing_if = "Stopped::is_false")]
    stopped: Stopped<'r>,
}

/// Whether the assembly stopped at the limit of errors, so that the rest of the source was not read.
struct Stopped<'r> {
    done: &'r OnceCell<Result<(), Errors>>,
    max_errors: usize,
}

impl Stopped<'_> {
    fn is_false(&self) -> bool {
        let count = match self.done.get() {
            Some(Err(errors)) => errors.0.len(),
            _ => 0,
        };
        count != self.max_errors
    }
}

impl Serialize for Stopped<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(!self.is_false())
    }
}

/// A source that is assembled while it is serialized.
struct Instructions<'r, R> {
    run: Cell<Option<R>>,
    dialect: Dialect,
    /// The result of the assembly, set at its end.
    done: &'r OnceCell<Result<(), Errors>>,
}

impl<R: Run> Serialize for Instructions<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut problem = Ok(());
        let run = self.run.take();
        let run = run.ok_or_else(|| S::Error::custom("the source is assembled once"))?;
        let done = run(&mut |line| {
            let mut text = String::new();
            // Writing to a string does not fail.
            let _ = line.print(self.dialect, &mut text);
            if problem.is_ok() {
                problem = list.serialize_element(&Assembled {
                    line: line.file_line,
                    address: line.address,
                    text,
                    bytes: line.bytes(),
                    waits_for: line.waits_for(),
                });
            }
        });
        problem?;
        // Set only here, and this runs once.
        let _ = self.done.set(done);
        list.end()
    }
}

fn wrong_lines<S: Serializer>(
    done: &OnceCell<Result<(), Errors>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let errors = match done.get() {
        Some(Err(errors)) => errors.0.as_slice(),
        _ => &[],
    };
    serializer.collect_seq(errors.iter().map(Wrong::from))
}

/// An assembled instruction. Addresses are in bytes from the first instruction.
#[derive(Serialize)]
struct Assembled<'l> {
    line: usize,
    address: u64,
    text: String,
    bytes: &'l [u8],
    /// The operand that a linker has to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<&'l str>,
}
