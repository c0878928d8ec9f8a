//! `wavetank run`: an unmodified program for ROCm on emulated GPUs.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use wavetank::{Chip, SUPPORTED_CHIPS};

use crate::exit::{Failure, Result};

const EXAMPLES: &str = "\
The program finds the emulated GPUs instead of real ones; nothing else about it changes, and its exit code is that of the
command. Environment: WAVETANK_GPU (as --gpu), WAVETANK_STATS=1 (as --stats), WAVETANK_STACK (as --stack),
WAVETANK_STRICT=1 (as --strict), WAVETANK_LOG=info (a line for each kernel) or trace (and for each call of the HSA
interface).

Examples:
  wavetank run -- ./a.out
  wavetank run --gpu gfx906 --stats -- ./sgemm 512
  WAVETANK_LOG=info wavetank run -- ./a.out";

/// The names by which programs look for the library.
const NAMES: [&str; 2] = ["libhsa-runtime64.so.1", "libhsa-runtime64.so"];
/// The library as it is built.
const BUILT: &str = "libhsa_runtime64.so";

/// Runs a program that was built for ROCm (HIP, OpenCL, OpenMP), unchanged, on emulated GPUs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    /// The GPUs that the program finds, parted by commas
    #[arg(long, value_name = "CPU", value_delimiter = ',')]
    gpu: Vec<String>,
    /// End with a table of kernels: calls, time, instructions, the slowest first
    #[arg(long)]
    stats: bool,
    /// Give each work-item so many bytes more of stack, where its depth is not known
    #[arg(long, value_name = "BYTES")]
    stack: Option<u32>,
    /// Stop where a kernel goes beyond its LDS, instead of telling it once
    #[arg(long)]
    strict: bool,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

impl Run {
    pub fn run(self) -> Result {
        for name in &self.gpu {
            let emulated = Chip::from_name(name).filter(|chip| SUPPORTED_CHIPS.contains(chip));
            if emulated.is_none() {
                let names: Vec<_> = SUPPORTED_CHIPS.iter().map(|chip| chip.name()).collect();
                return Err(Failure::usage(format!(
                    "`{name}` is no GPU that is emulated; there are {}",
                    names.join(", ")
                )));
            }
        }
        let library = Library::find()?;
        let program = &self.program[0];
        let mut command = Command::new(program);
        command.args(&self.program[1..]);
        library.give_to(&mut command);
        if !self.gpu.is_empty() {
            command.env("WAVETANK_GPU", self.gpu.join(","));
        }
        if self.stats {
            command.env("WAVETANK_STATS", "1");
        }
        if let Some(bytes) = self.stack {
            command.env("WAVETANK_STACK", bytes.to_string());
        }
        if self.strict {
            command.env("WAVETANK_STRICT", "1");
        }
        // Only comes back if there is no such program.
        let error = command.exec();
        Err(Failure::file("run", Path::new(program), error))
    }
}

/// The runtime library of this build or installation.
struct Library {
    file: PathBuf,
    /// Where it has the names that programs look for.
    folder: Option<PathBuf>,
}

impl Library {
    fn find() -> Result<Library> {
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
    fn give_to(&self, command: &mut Command) {
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
