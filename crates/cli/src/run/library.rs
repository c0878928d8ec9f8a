//! The runtime library, and how a program comes to use it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::exit::{Failure, Result};

/// The names by which programs look for the library.
const NAMES: [&str; 2] = ["libhsa-runtime64.so.1", "libhsa-runtime64.so"];
/// The library as it is built.
const BUILT: &str = "libhsa_runtime64.so";

/// The runtime library of this build or installation.
pub struct Library {
    file: PathBuf,
    /// Where it has the names that programs look for.
    folder: Option<PathBuf>,
}

impl Library {
    /// Looks beside this command, and where installations put it.
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
        Err(Failure::usage(format!(
            "the runtime library is not beside {}: build it with `cargo build --release`, or install {} in lib/wavetank \
             beside bin",
            exe.display(),
            NAMES[0]
        )))
    }

    /// Loads the library into a program before all others: whoever asks for its soname then gets it. Who asks for the name
    /// without a version (OpenMP) finds it by the path.
    pub fn give_to(&self, command: &mut Command) {
        prepend(command, "LD_PRELOAD", &self.file, " ");
        if let Some(folder) = &self.folder {
            prepend(command, "LD_LIBRARY_PATH", folder, ":");
        }
    }
}

/// Puts a path before what an environment variable holds.
fn prepend(command: &mut Command, variable: &str, path: &Path, separator: &str) {
    let mut value = OsString::from(path);
    if let Some(old) = std::env::var_os(variable).filter(|old| !old.is_empty()) {
        value.push(separator);
        value.push(old);
    }
    command.env(variable, value);
}
