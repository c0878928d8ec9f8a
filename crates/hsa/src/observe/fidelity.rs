//! `wavetank run --fidelity`: a record of the instructions that kernels have run.

use std::path::PathBuf;
use std::sync::OnceLock;

use wavetank::Module;
use wavetank::executed::{Executed, leave};

/// The file for records, which the command names and reads.
fn records() -> Option<&'static PathBuf> {
    static PATH: OnceLock<Option<PathBuf>> = OnceLock::new();
    let path = || std::env::var_os("WAVETANK_FIDELITY_TO").filter(|path| !path.is_empty());
    PATH.get_or_init(|| path().map(PathBuf::from)).as_ref()
}

/// Records the instructions of a module that have run for the first time, if the command wants them.
pub(crate) fn record(module: &Module) {
    if let Some(path) = records() {
        // A record that cannot be written is dropped, so that the program does not fail because of it.
        drop(leave(path, &Executed::of(module)));
    }
}
