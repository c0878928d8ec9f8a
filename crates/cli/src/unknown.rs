//! Hints for options of other commands and tools that `wavetank run` does not have.

use std::ffi::OsString;

use clap::Parser;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Such options, each with its hint.
const ELSEWHERE: [(&str, &str); 5] = [
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
        "times and instructions of kernels are told with `--stats`",
    ),
    ("--grid", "a kernel of a file is run by `wavetank launch`"),
    ("--block", "a kernel of a file is run by `wavetank launch`"),
];

/// Parses the command line; ends the command if it is wrong.
pub(crate) fn parse<T: Parser>() -> T {
    T::try_parse().unwrap_or_else(|mut error| {
        if command().is_some_and(|command| command == "run") {
            point(&mut error);
        }
        error.exit()
    })
}

/// Returns the subcommand of the call.
fn command() -> Option<OsString> {
    let is_option = |word: &OsString| word.to_string_lossy().starts_with('-');
    std::env::args_os().skip(1).find(|word| !is_option(word))
}

/// Adds the hint for an option to an error.
fn point(error: &mut Error) {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) if error.kind() == ErrorKind::UnknownArgument => option,
        _ => return,
    };
    let known = ELSEWHERE.iter().find(|(option, _)| option == unknown);
    if let Some((_, place)) = known {
        error.remove(ContextKind::SuggestedArg);
        let place = vec![StyledStr::from(*place)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(place));
    }
}
