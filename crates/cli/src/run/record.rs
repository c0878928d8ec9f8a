//! The records of a run beside the program's own output: lines of the library, a table, a JSON object.

use std::cell::OnceCell;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use wavetank::statistics::Sum;
use wavetank_quote::readable;

use super::Ended;
use crate::exit::{Failure, Result, print_json};
use crate::fidelity::ByFidelity;
use crate::statistics::Statistics;
use crate::whole;

/// The destination of this command's lines.
pub(super) struct Log {
    /// A file, with its absolute path; otherwise stderr.
    file: Option<(PathBuf, File)>,
    /// The reason for a lost line.
    problem: OnceCell<String>,
}

impl Log {
    /// Opens and truncates a file, or takes stderr.
    pub(super) fn to(path: Option<PathBuf>) -> Result<Log> {
        let Some(path) = path.filter(|path| !path.as_os_str().is_empty()) else {
            return Ok(Log::of(None));
        };
        let failed = |error| Failure::file("write", &path, error);
        // The program may change its folder before the library opens the file.
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

    /// Returns the path of the file, if it is one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// Writes lines. A closed stderr is not an error.
    pub(super) fn write(&self, text: &str) {
        let written = match &self.file {
            Some((_, file)) => (&*file).write_all(text.as_bytes()),
            None => return drop(anstream::stderr().write_all(text.as_bytes())),
        };
        if let Err(error) = written {
            let _ = self.problem.set(error.to_string());
        }
    }

    /// Returns the reason why a line of this command is missing in the file, if one is.
    pub(super) fn problem(&self) -> Option<String> {
        self.problem.get().cloned()
    }
}

/// The JSON object of a run.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    program: String,
    gpus: Vec<&'static str>,
    /// The program's exit code, if it had one.
    exit_code: Option<i32>,
    /// The signal that ended the program.
    signal: Option<&'static str>,
    timed_out: bool,
    seconds: f64,
    /// The fault of a kernel that ended the program.
    fault: Option<&'a str>,
    /// The number of launches that have begun.
    calls: u64,
    /// The sums over all kernels.
    #[serde(flatten)]
    statistics: Statistics,
    kernels: Vec<KernelRecord<'a>>,
    /// The instructions that ran, by fidelity, if that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    fidelity: Option<&'a ByFidelity>,
}

#[derive(Serialize)]
struct KernelRecord<'a> {
    name: &'a str,
    readable: String,
    calls: u64,
    #[serde(flatten)]
    statistics: Statistics,
}

impl<'a> Record<'a> {
    pub(super) fn new(
        program: &Path,
        gpus: Vec<&'static str>,
        ended: &Ended,
        fault: Option<&'a str>,
        rows: &'a [(String, Sum)],
        fidelity: Option<&'a ByFidelity>,
    ) -> Record<'a> {
        let kernel = |(name, sum): &'a (String, Sum)| KernelRecord {
            name,
            readable: readable(name),
            calls: sum.calls,
            statistics: Statistics::of(sum),
        };
        let mut all = Sum::default();
        rows.iter().for_each(|(_, sum)| all.add(sum));
        Record {
            program: program.to_string_lossy().into_owned(),
            gpus,
            exit_code: ended.end.code(),
            signal: ended.end.signal(),
            timed_out: ended.timed_out,
            seconds: ended.time.as_secs_f64(),
            fault,
            calls: all.calls,
            statistics: Statistics::of(&all),
            kernels: rows.iter().map(kernel).collect(),
            fidelity,
        }
    }

    /// Writes the object to a file, or to stdout for `-`.
    pub(super) fn write(&self, path: &Path) -> Result {
        if path == Path::new("-") {
            return print_json(self);
        }
        let failed = |error: std::io::Error| Failure::file("write", path, error);
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(error.into()))?;
        whole::write(path, text + "\n").map_err(failed)
    }
}
