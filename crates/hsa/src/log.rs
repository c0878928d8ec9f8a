//! What the library says: errors always, dispatches with `WAVETANK_LOG=info`, every call with `WAVETANK_LOG=trace`.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use wavetank::environment::Log;

use crate::runtime::{lock, settings};

/// A wrong setting makes `hsa_init` fail; the calls before it are not logged.
fn level() -> Log {
    settings()
        .as_ref()
        .map_or(Log::Errors, |settings| settings.log)
}

/// Whether calls are logged.
pub fn traces() -> bool {
    level() >= Log::Trace
}

/// Whether dispatches are logged.
pub fn informs() -> bool {
    level() >= Log::Info
}

/// Writes a line to stderr, whole.
pub fn line(text: &str) {
    let line = format!("wavetank: {text}\n");
    // If stderr is closed, nobody is there to be told.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Writes a line about something, unless one was written about it before.
pub fn once(about: &str, text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if lock(&SAID).insert(about.to_owned()) {
        line(text);
    }
}

/// Writes a line that a loop of the program may cause: the first few of a process.
pub fn few(text: &str) {
    const FEW: u32 = 8;
    static COUNT: AtomicU32 = AtomicU32::new(0);
    match COUNT.fetch_add(1, Ordering::Relaxed) {
        0..FEW => line(text),
        FEW => line("more of this kind is not told"),
        _ => {}
    }
}

/// Says a call that is there so that programs can be linked, and does nothing.
pub fn absent(name: &str) {
    line(&format!(
        "{name} is not supported; the program gets an error"
    ));
}
