//! The runtime library, and the ways to make a program load it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::embedded::{self, NAMES};
use super::variable::prepend;
use crate::exit::{Failure, Result};

/// The file name of the library in the build folder.
const BUILT: &str = "libhsa_runtime64.so";

/// The runtime library of this build or installation.
pub(super) struct Library {
    file: PathBuf,
    /// The folder in which the library has the names that programs look for.
    folder: Option<PathBuf>,
}

impl Library {
    /// Finds the library beside this command, where installations have it, or embedded in the command.
    pub(super) fn find() -> Result<Library> {
        let exe = std::env::current_exe().and_then(|exe| exe.canonicalize());
        let exe =
            exe.map_err(|error| Failure::usage(format!("cannot find this command: {error}")))?;
        let beside = exe.parent().unwrap_or(Path::new("/"));
        // Tests run from a folder below the build folder.
        let folders = [
            beside.join("hsa"),
            beside.join("../hsa"),
            beside.join("../lib/wavetank"),
        ];
        for folder in folders {
            let file = folder.join(NAMES[0]);
            if let Ok(file) = file.canonicalize() {
                return Ok(Library {
                    file,
                    folder: Some(folder),
                });
            }
        }
        for file in [beside.join(BUILT), beside.join(NAMES[0])] {
            if file.is_file() {
                return Ok(Library { file, folder: None });
            }
        }
        if let Some(folder) = embedded::folder() {
            let folder = folder?;
            return Ok(Library {
                file: folder.join(NAMES[0]),
                folder: Some(folder),
            });
        }
        Err(Failure::usage(format!(
            "the runtime library is not beside {}: build it with `cargo build --release`, install the command with `cargo \
             install --path crates/cli --features embed`, or install {} in lib/wavetank beside bin",
            exe.display(),
            NAMES[0]
        )))
    }

    /// Returns the folder in which the library has the names that programs look for.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Makes a program find the library by the library path. If it is preloaded, any load of its soname gets it, wherever the
    /// program would search.
    pub(super) fn give_to(&self, command: &mut Command, preload: bool) {
        if let Some(folder) = &self.folder {
            prepend(command, "LD_LIBRARY_PATH", folder, ":");
        }
        if preload {
            prepend(command, "LD_PRELOAD", &self.file, " ");
        }
    }
}
