//! `wavetank asm --isa visa`: TYPED_ATOMICs to bytes, or into a container.

use std::path::{Path, PathBuf};

use serde::Serialize;
use wavetank_surface_isa::visa::container::ReplaceError;
use wavetank_surface_isa::visa::{
    Container, EncodeError, TypedAtomic, Version, encode, parse_with_parts, source,
};
use wavetank_surface_isa::{Line, LineError};

use crate::exit::{Failure, Result, print, print_json};
use crate::input::{read_file, read_text};
use crate::paint::carets;
use crate::whole;

/// Which instruction of a container is replaced.
#[derive(clap::Args)]
pub struct Patch {
    /// With --isa visa: put the instruction into a copy of this container (.isa), which --output names
    #[arg(long, value_name = "CONTAINER", requires_all = ["at", "output"])]
    into: Option<PathBuf>,
    /// The place of the instruction that is replaced, in bytes of the file, as `wavetank dis` shows it
    #[arg(long, value_name = "OFFSET", requires = "into")]
    at: Option<String>,
}

impl Patch {
    /// Refuses it for an instruction set that has no container to put instructions into.
    pub fn refuse(&self) -> Result {
        match &self.into {
            None => Ok(()),
            Some(_) => Err(Failure::usage(
                "--into puts an instruction into a container of vISA: write --isa visa with it",
            )),
        }
    }
}

/// What is to be assembled, and how it is to be shown.
pub struct Job<'a> {
    /// The source, or `-` for stdin.
    pub file: &'a Path,
    /// Which bytes instructions have.
    pub version: Version,
    /// Whether the bytes stand behind each instruction.
    pub show_encoding: bool,
    /// Where the bytes go, if they do.
    pub output: Option<&'a Path>,
    /// Whether JSON is printed.
    pub json: bool,
    /// After how many wrong lines it stops; 0 is never.
    pub most: usize,
    /// What is replaced.
    pub patch: &'a Patch,
}

/// Assembles a source: canonical text, bytes, or a container with one instruction replaced.
pub fn asm(job: &Job<'_>) -> Result {
    let text = read_text(job.file)?;
    let most = if job.most == 0 { usize::MAX } else { job.most };
    let (lines, mut errors) = source(&text, most);
    let mut assembled = Vec::new();
    for line in lines {
        match encode(&line.statement, job.version.ids()) {
            Ok(bytes) => assembled.push((line, bytes)),
            Err(error) => errors.push(unencoded(&text, line.number, &error)),
        }
    }
    errors.sort_by_key(|error| error.number);
    match job.output {
        Some(path) if errors.is_empty() => {
            let bytes = match &job.patch.into {
                Some(into) => patched(job, into, &text, &assembled)?,
                None => assembled
                    .iter()
                    .flat_map(|(_, bytes)| bytes.clone())
                    .collect(),
            };
            let written = whole::write(path, bytes);
            written.map_err(|error| Failure::file("write", path, error))?;
        }
        Some(_) => {}
        None if job.json => print_json(&Report::new(&assembled, &errors))?,
        None => print(&listing(&assembled, job.show_encoding))?,
    }
    match errors.len() {
        0 => Ok(()),
        count => Err(told(&errors, count == job.most).of(job.file)),
    }
}

/// A line whose instruction has no bytes in this version.
fn unencoded(text: &str, number: usize, error: &EncodeError) -> LineError {
    let text = text.lines().nth(number - 1).unwrap_or_default().to_owned();
    let places = parse_with_parts(&text).map(|(_, places)| places);
    LineError {
        number,
        error: places.map_or_else(|error| error, |places| places.unencoded(error)),
        text,
    }
}

/// The bytes of a container with the one instruction of the source in it.
fn patched(
    job: &Job<'_>,
    into: &Path,
    text: &str,
    lines: &[(Line<TypedAtomic>, Vec<u8>)],
) -> Result<Vec<u8>> {
    let at = job.patch.at.as_deref().unwrap_or_default();
    let digits = at.strip_prefix("0x");
    let offset = match digits {
        Some(digits) => usize::from_str_radix(digits, 16),
        None => at.parse(),
    };
    let offset = offset.map_err(|_| {
        Failure::usage(format!(
            "--at {at}: expected a place in bytes, such as 0x1a0 or 416"
        ))
    })?;
    let [(line, _)] = lines else {
        let sentence = format!(
            "--into replaces one instruction, and the source has {}",
            lines.len()
        );
        return Err(Failure::usage(sentence).of(job.file));
    };
    let container = Container::read(read_file(into)?);
    let mut container = container.map_err(|e| Failure::usage(e.to_string()).of(into))?;
    match container.replace(offset, &line.statement) {
        Ok(()) => Ok(container.bytes().to_vec()),
        Err(ReplaceError::Rule(broken)) => {
            let text = text.lines().nth(line.number - 1).unwrap_or_default();
            let places = parse_with_parts(text).map(|(_, places)| places);
            let error = LineError {
                number: line.number,
                text: text.to_owned(),
                error: places.map_or_else(|error| error, |places| places.error(broken)),
            };
            Err(told(&[error], false).of(job.file))
        }
        Err(error) => Err(Failure::usage(error.to_string()).of(into)),
    }
}

fn listing(lines: &[(Line<TypedAtomic>, Vec<u8>)], show_encoding: bool) -> String {
    let line = |(line, bytes): &(Line<TypedAtomic>, Vec<u8>)| {
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        match show_encoding {
            true => format!("{} // encoding: {}\n", line.statement, hex.join(" ")),
            false => format!("{}\n", line.statement),
        }
    };
    lines.iter().map(line).collect()
}

/// Tells the wrong lines; gives the sentence that ends the command.
fn told(errors: &[LineError], stopped: bool) -> Failure {
    let lines: Vec<String> = errors.iter().map(|error| format!("{error}\n")).collect();
    // If stderr is closed, nobody is there to be told.
    let _ = std::io::Write::write_all(&mut anstream::stderr(), carets(&lines.concat()).as_bytes());
    Failure::usage(match errors.len() {
        n if stopped => format!("stopped at {n} errors (see --max-errors)"),
        1 => "1 error".to_owned(),
        n => format!("{n} errors"),
    })
}

#[derive(Serialize)]
struct Report<'l> {
    instructions: Vec<Assembled<'l>>,
    errors: Vec<Wrong<'l>>,
}

#[derive(Serialize)]
struct Assembled<'l> {
    line: usize,
    text: String,
    bytes: &'l [u8],
}

/// Lines and columns count from 1, columns in characters.
#[derive(Serialize)]
struct Wrong<'l> {
    line: usize,
    column: usize,
    length: usize,
    message: &'l str,
    help: Option<&'l str>,
}

impl<'l> Report<'l> {
    fn new(lines: &'l [(Line<TypedAtomic>, Vec<u8>)], errors: &'l [LineError]) -> Report<'l> {
        let assembled = |(line, bytes): &'l (Line<TypedAtomic>, Vec<u8>)| Assembled {
            line: line.number,
            text: line.statement.to_string(),
            bytes,
        };
        let wrong = |error: &'l LineError| {
            let LineError {
                number,
                text,
                error,
            } = error;
            let characters =
                |range: std::ops::Range<usize>| text.get(range).map_or(0, |t| t.chars().count());
            Wrong {
                line: *number,
                column: error.column(text),
                length: characters(error.span.clone()),
                message: &error.message,
                help: error.help.as_deref(),
            }
        };
        Report {
            instructions: lines.iter().map(assembled).collect(),
            errors: errors.iter().map(wrong).collect(),
        }
    }
}
