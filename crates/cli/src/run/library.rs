//! The runtime library, and how a program comes to use it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::contents::Contents;
use super::embedded::{self, NAMES};
use super::variable::prepend;
use crate::exit::{Failure, Result};

/// The library as it is built.
const BUILT: &str = "libhsa_runtime64.so";

/// The runtime library of this build or installation.
pub struct Library {
    file: PathBuf,
    /// Where it has the names that programs look for.
    folder: Option<PathBuf>,
}

impl Library {
    /// Looks beside this command, where installations put it, and inside the command.
    pub fn find() -> Result<Library> {
        let exe = std::env::current_exe().and_then(|exe| exe.canonicalize());
        let exe =
            exe.map_err(|error| Failure::usage(format!("cannot find this command: {error}")))?;
        let beside = exe.parent().unwrap_or(Path::new("/"));
        // Tests run from a folder below that of the build.
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

    /// The folder where the library has the names that programs look for.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Lets a program find the library by the path of libraries; and unless it is known to do so, or is not to have any
    /// library before its own, loads it into the program first: whoever asks for the soname then gets it, wherever the
    /// program would look.
    pub fn give_to(&self, command: &mut Command, contents: &Contents) {
        if let Some(folder) = &self.folder {
            prepend(command, "LD_LIBRARY_PATH", folder, ":");
        }
        if !self
            .folder()
            .is_some_and(|folder| contents.takes_from(folder))
        {
            prepend(command, "LD_PRELOAD", &self.file, " ");
        }
    }
}
