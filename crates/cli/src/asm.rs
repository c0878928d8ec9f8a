//! `wavetank asm`: instructions to bytes.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use wavetank_asm::{Errors, Line, LineError, assemble};
use wavetank_isa::text::print_at;

use crate::exit::{Failure, Result, print_json};
use crate::input::read_text;
use crate::output::Output;
use crate::target::{Syntax, Target};

const EXAMPLES: &str = "\
Comments are `;`, `//` and `/* */` (in CLRX's syntax `#`, `//` and `/* */`; `;` parts instructions there).

Examples:
  echo 'v_add_f32 v0, 1.0, v1' | wavetank asm --show-encoding -
  wavetank asm --gpu tahiti --show-encoding kernel.s
  wavetank asm --dialect clrx kernel.s -o kernel.bin      the plain words, for `wavetank dis --raw`
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
    /// Print JSON: instructions and errors
    #[arg(long, conflicts_with_all = ["show_encoding", "output"])]
    json: bool,
    /// The source, or `-` for stdin
    file: PathBuf,
}

impl Asm {
    pub fn run(self) -> Result {
        let chip = self.target.chip_or_default()?;
        let source = read_text(&self.file)?;
        let run = |each: &mut dyn FnMut(&Line)| assemble(&source, chip, self.syntax.dialect, each);
        let assembled = match (&self.output, self.json) {
            (Some(path), _) => words(run, path)?,
            (None, true) => self.json(run)?,
            (None, false) => self.text(run)?,
        };
        assembled.map_err(|errors| self.told(&errors.0))
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
        let mut instructions = Vec::new();
        let done = run(&mut |line| {
            let mut text = String::new();
            let _ = print_at(&line.inst, self.syntax.dialect, line.address, &mut text);
            instructions.push(Assembled {
                line: line.number,
                address: line.address,
                text,
                bytes: line.bytes().to_vec(),
            });
        });
        let errors = match &done {
            Ok(()) => Vec::new(),
            Err(errors) => errors.0.iter().map(Wrong::new).collect(),
        };
        print_json(&Report {
            instructions,
            errors,
        })?;
        Ok(done)
    }

    /// Tells the wrong lines; gives the sentence that ends the command.
    fn told(&self, errors: &[LineError]) -> Failure {
        let mut text = String::new();
        for error in errors {
            let _ = writeln!(text, "{error}");
        }
        // If stderr is closed, nobody is there to be told.
        let _ = std::io::Write::write_all(&mut anstream::stderr(), text.as_bytes());
        let lines = match errors.len() {
            1 => "1 error".to_owned(),
            n => format!("{n} errors"),
        };
        Failure::usage(format!("{lines} in {}", self.file.display()))
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

#[derive(Serialize)]
struct Report {
    instructions: Vec<Assembled>,
    errors: Vec<Wrong>,
}

/// Addresses are in bytes from the first instruction.
#[derive(Serialize)]
struct Assembled {
    line: usize,
    address: u64,
    text: String,
    bytes: Vec<u8>,
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
