//! The record of the last fault, which `wavetank run` reads after the program has ended.

use std::path::Path;

use wavetank::last_fault::LastFault;

/// Records a fault for `wavetank run`, if that started the program: where it happened and what. `handled` says whether the program
/// goes on.
pub(crate) fn record(brief: &str, sentence: &str, handled: bool) {
    if let Some(path) = std::env::var_os("WAVETANK_FAULT_TO") {
        let fault = LastFault {
            process: std::process::id(),
            handled,
            brief: brief.to_owned(),
            sentence: sentence.to_owned(),
        };
        // A record that cannot be written has no reader.
        let _ = fault.leave(Path::new(&path));
    }
}
