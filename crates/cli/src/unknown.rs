//! Calls of commands and options that do not exist, with hints to those that do; and files in place of a command.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;

use clap::Parser;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use wavetank::environment::unknown_variables;

/// Options of other commands and tools that `wavetank run` does not have, each with its hint.
const OPTIONS: [(&str, &str); 5] = [
    (
        "--check",
        "mistakes of kernels are found by `wavetank check -- PROGRAM`",
    ),
    (
        "--trace",
        "instructions are traced by `wavetank launch --trace`, a kernel at a time",
    ),
    (
        "--profile",
        "`wavetank profile -- PROGRAM` shows what kernels do, and `--stats` prints times and instructions of kernels",
    ),
    ("--grid", "a kernel of a file is run by `wavetank launch`"),
    ("--block", "a kernel of a file is run by `wavetank launch`"),
];

const NO_DEBUGGER: &str = "there is no debugger: `wavetank launch --trace` prints what each instruction of a kernel does, and \
                           `wavetank check -- PROGRAM` finds mistakes of kernels";
const PROFILER: &str = "`wavetank profile -- PROGRAM` shows what kernels do, by exact counts, and `wavetank run --stats PROGRAM` counts calls and \
                        instructions of kernels";
const CHECKER: &str = "`wavetank check -- PROGRAM` finds mistakes of kernels while they run, and `wavetank check FILE` those in machine code";

/// Commands of other tools, each with its hint.
const COMMANDS: [(&str, &str); 13] = [
    ("debug", NO_DEBUGGER),
    ("debugger", NO_DEBUGGER),
    ("gdb", NO_DEBUGGER),
    ("rocgdb", NO_DEBUGGER),
    ("perf", PROFILER),
    ("profiler", PROFILER),
    ("rocprof", PROFILER),
    ("initcheck", CHECKER),
    ("lint", CHECKER),
    ("memcheck", CHECKER),
    ("racecheck", CHECKER),
    ("sanitize", CHECKER),
    ("synccheck", CHECKER),
];

/// Parses the command line; ends the command if it is wrong. Variables that have no effect are reported.
pub(crate) fn parse<T: Parser>() -> T {
    let words = words(std::env::args_os().collect());
    for sentence in unknown_variables(std::env::vars_os().map(|(name, _)| name)) {
        // A closed stderr is not an error.
        let _ = writeln!(anstream::stderr(), "note: {sentence}");
    }
    T::try_parse_from(&words).unwrap_or_else(|mut error| {
        let command = place(&words).map(|at| words[at].as_os_str());
        point(&mut error, command);
        error.exit()
    })
}

/// Returns the words of a call, with the command that a program in its place stands for: `wavetank ./a.out` is
/// `wavetank run ./a.out`, and `wavetank rocminfo` is `wavetank agents --rocminfo`.
fn words(mut words: Vec<OsString>) -> Vec<OsString> {
    let Some(at) = place(&words) else {
        return words;
    };
    if words[at] == "rocminfo" {
        words.splice(at..=at, ["agents".into(), "--rocminfo".into()]);
    } else if Path::new(&words[at]).components().count() > 1
        || words[at].to_string_lossy().starts_with("./")
    {
        words.insert(at, "run".into());
    }
    words
}

/// Returns the place of the command among the words of a call, the first of which is this program.
fn place(words: &[OsString]) -> Option<usize> {
    let is_option = |word: &OsString| word.to_string_lossy().starts_with('-');
    let at = words.iter().skip(1).position(|word| !is_option(word));
    at.map(|at| at + 1)
}

/// Adds a hint to an error about an option or a command.
fn point(error: &mut Error, command: Option<&OsStr>) {
    let hint = match error.kind() {
        ErrorKind::UnknownArgument if command == Some("run".as_ref()) => {
            let option = said(error, ContextKind::InvalidArg);
            let known = OPTIONS.iter().find(|(name, _)| option == Some(name));
            known.map(|(_, hint)| (*hint).to_owned())
        }
        ErrorKind::InvalidSubcommand => {
            said(error, ContextKind::InvalidSubcommand).and_then(elsewhere)
        }
        _ => None,
    };
    if let Some(hint) = hint {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        let hint = vec![StyledStr::from(hint)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(hint));
    }
}

/// Returns the word that an error is about.
fn said(error: &Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word),
        _ => None,
    }
}

/// Returns the hint for a word in place of a command.
fn elsewhere(word: &str) -> Option<String> {
    let known = COMMANDS.iter().find(|(name, _)| *name == word);
    let of_file = || format!("the file of this name is run by `wavetank run ./{word}`");
    let is_file = || Path::new(word).is_file();
    known
        .map(|(_, hint)| (*hint).to_owned())
        .or_else(|| is_file().then(of_file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_place_of_a_command_is_run() {
        let of = |text: &str| {
            let all = text.split(' ').map(OsString::from).collect();
            let all: Vec<_> = words(all)
                .into_iter()
                .map(|w| w.into_string().unwrap())
                .collect();
            all.join(" ")
        };
        for (call, meant) in [
            ("wavetank ./a.out 5", "wavetank run ./a.out 5"),
            ("wavetank --no-pager bin/a", "wavetank --no-pager run bin/a"),
            ("wavetank /bin/true", "wavetank run /bin/true"),
            (
                "wavetank rocminfo --gpu gfx906",
                "wavetank agents --rocminfo --gpu gfx906",
            ),
            ("wavetank run ./a.out", "wavetank run ./a.out"),
            ("wavetank dis ./a.out", "wavetank dis ./a.out"),
            ("wavetank a.out", "wavetank a.out"),
            ("wavetank --help", "wavetank --help"),
        ] {
            assert_eq!(of(call), meant);
        }
    }
}
