//! `wavetank asm` of atomics on surfaces: text, code, or a file.

use std::path::Path;

use serde::Serialize;
use wavetank_surface_isa::{Line, LineError};

use super::cli_isa::CliIsa;
use crate::exit::{Failure, Result, print, print_json};
use crate::input::read_text;
use crate::whole;
use crate::wrong_lines::{Wrong, count, show};

/// The input and output of an assembly.
pub(crate) struct Job<'a> {
    /// The source, or `-` for stdin.
    pub file: &'a Path,
    /// Whether the code of each instruction is printed after it.
    pub show_encoding: bool,
    /// The file for the code, if it is written.
    pub output: Option<&'a Path>,
    /// Whether JSON is printed.
    pub json: bool,
    /// The number of wrong lines after which the assembly stops; 0 for no limit.
    pub most: usize,
}

#[derive(Serialize)]
struct Report<Assembled> {
    instructions: Vec<Assembled>,
    errors: Vec<Wrong>,
}

/// Assembles a source: canonical text, JSON, or the file that a function makes of the source and its lines.
pub(crate) fn asm<I: CliIsa>(
    isa: I,
    job: &Job<'_>,
    pack: impl FnOnce(&str, &[Line<I::Statement>]) -> Result<Vec<u8>>,
) -> Result {
    let text = read_text(job.file)?;
    let most = if job.most == 0 { usize::MAX } else { job.most };
    let (lines, errors) = isa.source(&text, most);
    match job.output {
        Some(path) if errors.is_empty() => {
            let written = whole::write(path, pack(&text, &lines)?);
            written.map_err(|error| Failure::file("write", path, error))?;
        }
        Some(_) => {}
        None if job.json => {
            let assembled = lines.iter().enumerate();
            let assembled = assembled.map(|(n, line)| isa.assembled(n, line));
            print_json(&Report {
                instructions: assembled.collect(),
                errors: errors.iter().map(wrong::<I>).collect(),
            })?;
        }
        None => print(&listing(isa, &lines, job.show_encoding))?,
    }
    match errors.len() {
        0 => Ok(()),
        _ => Err(refused(&errors, job.most).of(job.file)),
    }
}

/// Shows wrong lines, and gives the sentence that ends the command.
pub(super) fn refused(errors: &[LineError], most: usize) -> Failure {
    show(errors);
    Failure::usage(count(errors.len(), most, ""))
}

fn listing<I: CliIsa>(isa: I, lines: &[Line<I::Statement>], show_encoding: bool) -> String {
    let line = |Line { statement, .. }: &Line<I::Statement>| {
        let text = isa.print(statement);
        if show_encoding {
            format!("{text} // encoding: {}\n", I::hex(statement))
        } else {
            format!("{text}\n")
        }
    };
    lines.iter().map(line).collect()
}

fn wrong<I: CliIsa>(wrong: &LineError) -> Wrong {
    let LineError {
        number,
        text,
        error,
    } = wrong;
    Wrong {
        help: I::HELPS.then(|| error.help.clone()),
        ..Wrong::new(*number, text, &error.span, &error.message)
    }
}
