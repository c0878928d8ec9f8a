//! `wavetank asm`: instructions to bytes.

use std::cell::{Cell, OnceCell};
use std::fmt::Write;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use wavetank_asm::{Errors, Line, LineError, assemble_until};
use wavetank_isa::Dialect;
use wavetank_isa::text::print_at;

use crate::exit::{Failure, Result, shown};
use crate::input::{read, text};
use crate::maxwell;
use crate::output::{Output, Stdout, told};
use crate::paint::carets;
use crate::source;
use crate::target::{Syntax, Target};
use crate::visa::{self, Patch};

const EXAMPLES: &str = "\
Comments are `;`, `//` and `/* */` (in CLRX's syntax `#`, `//` and `/* */`;
`;` parts instructions there).

Examples:
  echo 'v_add_f32 v0, 1.0, v1' | wavetank asm --show-encoding -
  wavetank asm --gpu tahiti --show-encoding kernel.s
  wavetank asm --dialect clrx kernel.s -o kernel.bin
                                      the plain words, for `wavetank dis --raw`
  wavetank asm --isa maxwell:52 --show-encoding suatom.s
  wavetank asm --isa visa --into k.isa --at 0x198 -o patched.isa atomic.s
                                      one TYPED_ATOMIC of a container replaced
  wavetank asm --json kernel.s | jq '.errors'";

/// Assembles instructions: canonical text, encodings, or plain words
///
/// FILE has one instruction a line, labels and comments. All wrong lines are told; the others are printed.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Asm {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    syntax: Syntax,
    /// Print the bytes of each instruction behind it
    #[arg(long)]
    show_encoding: bool,
    /// Write the plain words to this file instead of printing text
    #[arg(short, long, value_name = "FILE", conflicts_with = "show_encoding")]
    output: Option<PathBuf>,
    #[command(flatten)]
    patch: Patch,
    /// Print JSON: instructions and errors
    #[arg(long, conflicts_with_all = ["show_encoding", "output"])]
    json: bool,
    /// Stop at so many wrong lines; 0 tells all
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_errors: usize,
    /// The source, or `-` for stdin
    file: PathBuf,
}

impl Asm {
    pub fn run(self) -> Result {
        if let Some(generation) = self.target.maxwell()? {
            self.syntax.refuse_for(generation)?;
            return maxwell::asm(&maxwell::Job {
                file: &self.file,
                generation,
                show_encoding: self.show_encoding,
                output: self.output.as_deref(),
                json: self.json,
                most: self.max_errors,
            });
        }
        if let Some(version) = self.target.visa()? {
            self.syntax.refuse_for("vISA")?;
            return visa::asm(&visa::Job {
                file: &self.file,
                version,
                show_encoding: self.show_encoding,
                output: self.output.as_deref(),
                json: self.json,
                most: self.max_errors,
                patch: &self.patch,
            });
        }
        self.patch.refuse()?;
        let chip = self.target.chip_or_default()?;
        let source = read(&self.file)?;
        source::refuse(&self.file, &source)?;
        let source = text(&self.file, source)?;
        let most = match self.max_errors {
            0 => usize::MAX,
            most => most,
        };
        let dialect = self.syntax.dialect;
        let run = |each: &mut dyn FnMut(&Line)| assemble_until(&source, chip, dialect, most, each);
        let assembled = match (&self.output, self.json) {
            (Some(path), _) => words(run, path)?,
            (None, true) => self.json(run)?,
            (None, false) => self.text(run)?,
        };
        assembled.map_err(|errors| self.told(&errors.0))
    }

    /// Whether it prints instructions.
    pub fn prints(&self) -> bool {
        self.output.is_none()
    }

    fn text(&self, run: impl Run) -> Result<Result<(), Errors>> {
        let mut out = Output::new();
        let done = run(&mut |line| {
            // Writing to a string does not fail.
            let _ = print_at(&line.inst, self.syntax.dialect, line.address, &mut out.text);
            if self.show_encoding {
                out.text.push_str(" ; encoding: [");
                for (n, byte) in line.bytes().iter().enumerate() {
                    let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
                    let shown = [b',', b'0', b'x', digit(byte >> 4), digit(byte & 15)];
                    // ASCII, without the comma before the first.
                    let shown = &shown[usize::from(n == 0)..];
                    out.text
                        .push_str(std::str::from_utf8(shown).unwrap_or_default());
                }
                out.text.push(']');
            }
            out.text.push('\n');
            out.settle();
        });
        out.finish()?;
        Ok(done)
    }

    fn json(&self, run: impl Run) -> Result<Result<(), Errors>> {
        let done = OnceCell::new();
        let instructions = Instructions {
            run: Cell::new(Some(run)),
            dialect: self.syntax.dialect,
            done: &done,
        };
        let errors = &done;
        let report = Report {
            instructions,
            errors,
        };
        let mut out = BufWriter::new(Stdout::lock());
        let written = serde_json::to_writer_pretty(&mut out, &report);
        let written = written.map_err(std::io::Error::from);
        told(
            written
                .and_then(|()| writeln!(out))
                .and_then(|()| out.flush())
                .err(),
        )?;
        // It is not there only if the reader of the text has gone.
        Ok(done.into_inner().unwrap_or(Ok(())))
    }

    /// Tells the wrong lines; gives the sentence that ends the command.
    fn told(&self, errors: &[LineError]) -> Failure {
        let mut text = String::new();
        for error in errors {
            let _ = writeln!(text, "{error}");
        }
        // If stderr is closed, nobody is there to be told.
        let _ = std::io::Write::write_all(&mut anstream::stderr(), carets(&text).as_bytes());
        let lines = match errors.len() {
            n if n == self.max_errors => format!("stopped at {n} errors (see --max-errors)"),
            1 => "1 error".to_owned(),
            n => format!("{n} errors"),
        };
        Failure::usage(format!("{lines} in {}", shown(&self.file)))
    }
}

/// Assembles the source, giving each line to a visitor.
trait Run: FnOnce(&mut dyn FnMut(&Line)) -> Result<(), Errors> {}

impl<R: FnOnce(&mut dyn FnMut(&Line)) -> Result<(), Errors>> Run for R {}

/// Writes plain words. Nothing is written where a line is wrong.
fn words(run: impl Run, path: &Path) -> Result<Result<(), Errors>> {
    let mut words = Vec::new();
    let done = run(&mut |line| words.extend_from_slice(line.bytes()));
    if done.is_ok() {
        let written = std::fs::write(path, &words);
        written.map_err(|error| Failure::file("write", path, error))?;
    }
    Ok(done)
}

/// Instructions while they are assembled, then what was wrong: serialised once, in this order, without keeping them.
#[derive(Serialize)]
#[serde(bound = "R: Run")]
struct Report<'r, R: Run> {
    instructions: Instructions<'r, R>,
    #[serde(serialize_with = "wrong_lines")]
    errors: &'r OnceCell<Result<(), Errors>>,
}

/// A source that is assembled when it is serialised.
struct Instructions<'r, R> {
    run: Cell<Option<R>>,
    dialect: Dialect,
    /// What came of it.
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
            let _ = print_at(&line.inst, self.dialect, line.address, &mut text);
            if problem.is_ok() {
                problem = list.serialize_element(&Assembled {
                    line: line.number,
                    address: line.address,
                    text,
                    bytes: line.bytes(),
                });
            }
        });
        problem?;
        // It is set here alone, and this runs once.
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
    serializer.collect_seq(errors.iter().map(Wrong::new))
}

/// Addresses are in bytes from the first instruction.
#[derive(Serialize)]
struct Assembled<'l> {
    line: usize,
    address: u64,
    text: String,
    bytes: &'l [u8],
}

/// Lines and columns count from 1, columns in characters.
#[derive(Serialize)]
struct Wrong {
    line: usize,
    column: usize,
    length: usize,
    message: String,
    help: Option<String>,
}

impl Wrong {
    fn new(error: &LineError) -> Wrong {
        let LineError {
            number,
            text,
            error,
        } = error;
        let characters =
            |range: std::ops::Range<usize>| text.get(range).map_or(0, |t| t.chars().count());
        Wrong {
            line: *number,
            column: 1 + characters(0..error.span.start),
            length: characters(error.span.clone()),
            message: error.message.clone(),
            help: error.help.clone(),
        }
    }
}
