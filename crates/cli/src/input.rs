//! Files that are read whole, or stdin.

use std::io::Read;
use std::path::Path;

use crate::exit::{Failure, Result};

/// The bytes of a file, or those of stdin for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path).map_err(|error| Failure::file("read", path, error));
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| Failure::file("read", Path::new("stdin"), error))?;
    Ok(bytes)
}

/// The text of a file, or of stdin for `-`.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|b| **b == b'\n').count();
        Failure::usage(format!("line {line} is no UTF-8 text")).of(path)
    })
}
