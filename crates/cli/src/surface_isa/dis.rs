//! `wavetank dis` of atomics on surfaces: files, plain code, and lines of hexadecimal code.

use std::io::Write;
use std::path::Path;

use super::cli_isa::CliIsa;
use crate::exit::Result;
use crate::hex_lines::print_lines;
use crate::output::{Stdout, stdout_result};
use crate::paint::Painted;

/// Lists a file, or with `raw` plain code of a version.
pub(crate) fn dis<I: CliIsa>(path: &Path, bytes: Vec<u8>, raw: bool, isa: Option<I>) -> Result {
    let text = match (raw, isa) {
        (true, Some(isa)) => isa.listing(&bytes),
        _ => I::file(path, bytes, isa)?,
    };
    let mut out = Painted::new(Stdout::lock());
    let written = out.write_all(text.as_bytes());
    stdout_result(written.and_then(|()| out.flush()).err())
}

/// A line of text for each line of hexadecimal code; `!reject` for code that is not the instruction.
pub(crate) fn dis_hex<I: CliIsa>(isa: I, path: &Path) -> Result {
    let wrong = print_lines(path, |line, out| {
        let inst = isa.decode_line(line).ok_or(())?;
        *out += &inst.map_or("!reject".to_owned(), |inst| inst.to_string());
        Ok::<(), ()>(())
    })?;
    let numbers: Vec<usize> = wrong.into_iter().map(|(number, ())| number).collect();
    I::refuse_lines(path, &numbers)
}
