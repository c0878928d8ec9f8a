//! The log: errors always, dispatches with `WAVETANK_LOG=info`, every call with `WAVETANK_LOG=trace`.
//! The log goes to stderr, or to the end of the file that `WAVETANK_LOG_TO` names.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, Once, OnceLock};

use wavetank::environment::Log;
use wavetank::found_file;

use crate::state::{lock, settings};

/// The log level; none for a wrong setting, with which `hsa_init` fails later.
fn level() -> Log {
    settings()
        .as_ref()
        .map_or(Log::Errors, |settings| settings.log)
}

/// Whether calls are logged.
pub(crate) fn traces() -> bool {
    level() >= Log::Trace
}

/// Whether dispatches are logged.
pub(crate) fn informs() -> bool {
    level() >= Log::Info
}

/// The file that receives the lines instead of stderr; `None` if it cannot be opened.
fn file() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        let path = std::env::var_os("WAVETANK_LOG_TO").filter(|path| !path.is_empty())?;
        File::options().append(true).create(true).open(path).ok()
    };
    FILE.get_or_init(open).as_ref()
}

/// Writes a line with one system call.
pub(crate) fn line(text: &str) {
    lines(&format!("wavetank: {text}\n"));
}

/// Writes complete lines without adding a prefix.
pub(crate) fn lines(text: &str) {
    match file() {
        Some(mut file) => file.write_all(text.as_bytes()).unwrap_or_else(lost),
        // A closed stderr has no reader, so the error is ignored.
        None => drop(std::io::stderr().write_all(text.as_bytes())),
    }
}

/// Reports to `wavetank run`, the first time, that a line is not in the file.
#[cold]
fn lost(error: std::io::Error) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if let Some(path) = std::env::var_os("WAVETANK_LOST_TO") {
            // The process may have ended.
            let _ = found_file::leave(path.as_ref(), &error.to_string());
        }
    });
}

/// Writes a line about a subject, unless one was written before.
pub(crate) fn once(about: &str, text: &str) {
    static WRITTEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if lock(&WRITTEN).insert(about.to_owned()) {
        line(text);
    }
}

/// Writes a line that a loop of the program may repeat: only the first few of a process.
pub(crate) fn few(text: &str) {
    const FEW: u32 = 8;
    static COUNT: AtomicU32 = AtomicU32::new(0);
    match COUNT.fetch_add(1, Ordering::Relaxed) {
        0..FEW => line(text),
        FEW => line("further lines of this kind are left out"),
        _ => {}
    }
}

/// Writes that a function is not implemented.
pub(crate) fn unimplemented(name: &str) {
    line(&format!(
        "{name} is not supported; the program gets an error"
    ));
}
