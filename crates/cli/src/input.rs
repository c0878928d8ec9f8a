//! Input files, or stdin, that are read as a whole.

use std::io::Read;
use std::path::Path;

use crate::exit::{Failure, Result};
use crate::host::is_device;

/// Returns the bytes of a file. Devices are rejected, because many never end.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let failed = |error| Failure::file("read", path, error);
    let kind = std::fs::metadata(path).map_err(failed)?.file_type();
    if is_device(kind) {
        let problem = "it is a device, which may never end; name a file, a pipe, or - for stdin";
        return Err(Failure::file("read", path, problem));
    }
    std::fs::read(path).map_err(failed)
}

/// Returns the bytes of a file, or of stdin for `-`.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    if path != Path::new("-") {
        return read_file(path);
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| Failure::file("read", Path::new("stdin"), error))?;
    Ok(bytes)
}

/// Returns the text of a file, or of stdin for `-`.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    text(path, read(path)?)
}

/// Returns the bytes of a file as text.
pub(crate) fn text(path: &Path, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|b| **b == b'\n').count();
        Failure::usage(format!("line {line} is not UTF-8")).of(path)
    })
}

/// Refuses to write over a source.
///
/// # Errors
/// An output that is one of the sources.
pub(crate) fn refuse_over<P: AsRef<Path>>(sources: &[P], output: &Path) -> Result {
    let same = |source: &&P| same_file::is_same_file(source, output).unwrap_or(false);
    match sources.iter().find(same) {
        Some(_) => {
            let problem = "it is a source, and would be written over; give another name with -o";
            Err(Failure::usage(problem).of(output))
        }
        None => Ok(()),
    }
}
