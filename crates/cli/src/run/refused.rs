//! Rejection of files that are not programs of this machine, before the system runs them: it would pass them to a shell.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use wavetank::object::{CodeObject, Error, Target, is_bundle, is_object_file, targets};
use wavetank_quote::{plain, some_of};

use super::contents::map;
use crate::exit::{Failure, Result};
use crate::host::is_executable;
use crate::search_path::find;
use crate::source;

/// The machine of this command, by its name for ELF files.
const HOST: &str = if cfg!(target_arch = "aarch64") {
    "AArch64"
} else {
    "x86-64"
};

/// Rejects a file that is not a program, and describes its proper use.
pub(super) fn check(program: &OsStr) -> Result {
    let path = Path::new(program);
    let Some(file) = find(program) else {
        return if path.is_file() {
            Err(Failure::file(
                "run",
                path,
                format!(
                    "there is no such command; did you mean ./{}?",
                    plain(&program.to_string_lossy())
                ),
            ))
        } else {
            // The system reports the error.
            Ok(())
        };
    };
    let Some(bytes) = map(&file) else {
        return Ok(());
    };
    match problem(&bytes) {
        Some(problem) => Err(Failure::usage(problem).of(path)),
        None if is_started(&file, &bytes) => Ok(()),
        None => source::refuse_to_run(path, &bytes),
    }
}

/// Whether the system would start a file: as a program, or by the command in its first line.
fn is_started(file: &Path, bytes: &[u8]) -> bool {
    let may = fs::metadata(file).is_ok_and(|about| is_executable(&about));
    may && (bytes.starts_with(b"#!") || bytes.starts_with(b"\x7fELF"))
}

/// Returns the reason why a file is not a program, if it is not.
fn problem(bytes: &[u8]) -> Option<String> {
    if is_bundle(bytes) {
        let of = match targets(bytes) {
            Ok(targets) if !targets.is_empty() => format!(" for {}", list(&targets)),
            _ => String::new(),
        };
        return Some(format!(
            "this is an offload bundle{of}, and no program: `wavetank launch FILE` runs a kernel of it"
        ));
    }
    match CodeObject::parse(bytes) {
        Ok(object) => Some(format!(
            "this is a code object for {}, and no program: `wavetank launch FILE` runs a kernel of it",
            object.target()
        )),
        Err(Error::NotLinked { found }) => Some(format!(
            "this is {found} with code for AMD GPUs: `wavetank asm FILE -o OUTPUT` links it, and `wavetank launch OUTPUT` runs a \
             kernel of it"
        )),
        Err(Error::WrongMachine { machine }) if machine != HOST && !runs_too(&machine) => Some(
            format!("this is a program for {machine}, and this machine is {HOST}"),
        ),
        Err(Error::WrongMachine { .. }) if is_object_file(bytes) => Some(
            "this is an object file: link it to a program first (`hipcc FILE -o OUTPUT`)"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Whether this machine also runs programs of another machine.
fn runs_too(machine: &str) -> bool {
    HOST == "x86-64" && machine == "x86 (32-bit)"
}

fn list(targets: &[Target]) -> String {
    let names: Vec<String> = targets.iter().map(Target::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    plain(&some_of(&names)).to_string()
}
