//! Environment variables of a program.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Puts a path before the value of an environment variable.
pub(super) fn prepend(command: &mut Command, variable: &str, path: &Path, separator: &str) {
    let mut value = OsString::from(path);
    if let Some(old) = std::env::var_os(variable).filter(|old| !old.is_empty()) {
        value.push(separator);
        value.push(old);
    }
    command.env(variable, value);
}
