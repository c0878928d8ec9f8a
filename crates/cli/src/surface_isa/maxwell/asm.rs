//! `wavetank asm --isa maxwell:52`: SUATOMs to words and bundles.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use wavetank_surface_isa::maxwell::{Bundle, Generation, Slot, shown, source};
use wavetank_surface_isa::{Line, LineError};

use crate::exit::{Failure, Result, print, print_json};
use crate::input::read_text;
use crate::paint::carets;
use crate::whole;

/// What is to be assembled, and how it is to be shown.
pub struct Job<'a> {
    /// The source, or `-` for stdin.
    pub file: &'a Path,
    /// Which instructions there are.
    pub generation: Generation,
    /// Whether the word stands behind each instruction.
    pub show_encoding: bool,
    /// Where the bundles go, if they do.
    pub output: Option<&'a Path>,
    /// Whether JSON is printed.
    pub json: bool,
    /// After how many wrong lines it stops; 0 is never.
    pub most: usize,
}

/// Assembles a source: canonical text, words, or whole bundles, the last one filled with NOPs.
pub fn asm(job: &Job<'_>) -> Result {
    let text = read_text(job.file)?;
    let most = match job.most {
        0 => usize::MAX,
        most => most,
    };
    let (lines, errors) = source(&text, job.generation, most);
    match job.output {
        Some(path) if errors.is_empty() => {
            let words: Vec<_> = lines.iter().map(|line| line.statement).collect();
            let written = whole::write(path, Bundle::pack(&words));
            written.map_err(|error| Failure::file("write", path, error))?;
        }
        Some(_) => {}
        None if job.json => print_json(&Report::new(&lines, &errors, job.generation))?,
        None => print(&listing(&lines, job))?,
    }
    match errors.len() {
        0 => Ok(()),
        count => Err(told(&errors, count == job.most).of(job.file)),
    }
}

fn listing(lines: &[Line<Slot>], job: &Job<'_>) -> String {
    let mut text = String::new();
    for line in lines {
        text += &shown(line.statement.word, line.statement.control, job.generation);
        if job.show_encoding {
            // Writing to a string does not fail.
            let _ = write!(text, " // encoding: {:#018x}", line.statement.word);
        }
        text.push('\n');
    }
    text
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
    instructions: Vec<Assembled>,
    errors: Vec<Wrong<'l>>,
}

/// Offsets are in bytes from the first bundle; `control` is the slot's 21 bits.
#[derive(Serialize)]
struct Assembled {
    line: usize,
    offset: usize,
    text: String,
    word: String,
    control: u64,
}

/// Lines and columns count from 1, columns in characters.
#[derive(Serialize)]
struct Wrong<'l> {
    line: usize,
    column: usize,
    length: usize,
    message: &'l str,
}

impl<'l> Report<'l> {
    fn new(lines: &[Line<Slot>], errors: &'l [LineError], generation: Generation) -> Report<'l> {
        let assembled = |(n, line): (usize, &Line<Slot>)| Assembled {
            line: line.number,
            offset: Bundle::offset(n),
            text: shown(line.statement.word, line.statement.control, generation),
            word: format!("{:#018x}", line.statement.word),
            control: line.statement.control.bits(),
        };
        let wrong = |error: &'l LineError| Wrong {
            line: error.number,
            column: error.error.column(&error.text),
            length: error
                .text
                .get(error.error.span.clone())
                .map_or(0, |t| t.chars().count()),
            message: &error.error.message,
        };
        Report {
            instructions: lines.iter().enumerate().map(assembled).collect(),
            errors: errors.iter().map(wrong).collect(),
        }
    }
}
