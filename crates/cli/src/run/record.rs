//! What is said of a run besides what the program says: the lines of the library, a table, an object for machines.

use std::cell::OnceCell;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use wavetank::statistics::Sum;
use wavetank_quote::readable;

use super::program::{End, Ended};
use crate::exit::{Failure, Result, print_json};
use crate::whole;

/// Where our lines go.
pub struct Log {
    /// A file, by its whole path; else stderr.
    file: Option<(PathBuf, File)>,
    /// Why a line was lost.
    problem: OnceCell<String>,
}

impl Log {
    /// A file, emptied, or else stderr.
    pub fn to(path: Option<PathBuf>) -> Result<Log> {
        let Some(path) = path.filter(|path| !path.as_os_str().is_empty()) else {
            return Ok(Log::of(None));
        };
        let failed = |error| Failure::file("write", &path, error);
        // The program may go elsewhere before it opens it.
        let whole = std::path::absolute(&path).map_err(failed)?;
        File::create(&path).map_err(failed)?;
        let file = File::options().append(true).open(&path).map_err(failed)?;
        Ok(Log::of(Some((whole, file))))
    }

    fn of(file: Option<(PathBuf, File)>) -> Log {
        Log {
            file,
            problem: OnceCell::new(),
        }
    }

    /// The file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// Writes lines. On a stderr that is closed nobody is there to be told.
    pub fn tell(&self, text: &str) {
        let told = match &self.file {
            Some((_, file)) => (&*file).write_all(text.as_bytes()),
            None => return drop(anstream::stderr().write_all(text.as_bytes())),
        };
        if let Err(error) = told {
            let _ = self.problem.set(error.to_string());
        }
    }

    /// Why a line of this command is not in the file, if one is not.
    pub fn problem(&self) -> Option<String> {
        self.problem.get().cloned()
    }
}

/// A run for machines.
#[derive(Serialize)]
pub struct Record<'a> {
    program: String,
    gpus: Vec<&'static str>,
    /// The program's exit code, if it had one.
    exit_code: Option<i32>,
    /// The signal that ended it.
    signal: Option<&'static str>,
    timed_out: bool,
    seconds: f64,
    /// What a kernel did that ended the program.
    fault: Option<&'a str>,
    kernels: Vec<KernelRecord<'a>>,
}

#[derive(Serialize)]
struct KernelRecord<'a> {
    name: &'a str,
    readable: String,
    calls: u64,
    seconds: f64,
    wave_instructions: u64,
}

impl<'a> Record<'a> {
    pub fn new(
        program: &Path,
        gpus: Vec<&'static str>,
        ended: &Ended,
        fault: Option<&'a str>,
        rows: &'a [(String, Sum)],
    ) -> Record<'a> {
        let (exit_code, signal) = match ended.end {
            End::Code(code) => (Some(code), None),
            End::Signal(signal) => (None, Some(signal.as_str())),
        };
        let kernel = |(name, sum): &'a (String, Sum)| KernelRecord {
            name,
            readable: readable(name),
            calls: sum.calls,
            seconds: sum.time.as_secs_f64(),
            wave_instructions: sum.instructions,
        };
        Record {
            program: program.to_string_lossy().into_owned(),
            gpus,
            exit_code,
            signal,
            timed_out: ended.timed_out,
            seconds: ended.time.as_secs_f64(),
            fault,
            kernels: rows.iter().map(kernel).collect(),
        }
    }

    /// Writes it to a file, or to stdout for `-`.
    pub fn write(&self, path: &Path) -> Result {
        if path == Path::new("-") {
            return print_json(self);
        }
        let failed = |error: std::io::Error| Failure::file("write", path, error);
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(error.into()))?;
        whole::write(path, text + "\n").map_err(failed)
    }
}
