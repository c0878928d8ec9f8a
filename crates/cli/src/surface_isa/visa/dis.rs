//! `wavetank dis` of vISA's containers, and of plain instructions.

use std::io::Write as _;
use std::path::Path;

use wavetank_surface_isa::visa::container::Listing;
use wavetank_surface_isa::visa::{Container, Version, decode};

use crate::exit::{Failure, Result, shown};
use crate::input::read_text;
use crate::output::{Output, Stdout, told};
use crate::paint::Painted;

/// Lists a container, or with `raw` plain instructions of a version.
pub fn dis(file: &Path, bytes: Vec<u8>, raw: Option<Version>) -> Result {
    let text = match raw {
        Some(version) => {
            let ids = version.ids();
            Listing { code: &bytes, ids }.to_string()
        }
        None => {
            let container = Container::read(bytes);
            let container = container.map_err(|e| Failure::usage(e.to_string()).of(file))?;
            format!(
                "// {}: vISA {}\n{container}",
                shown(file),
                container.version
            )
        }
    };
    let mut out = Painted::new(Stdout::lock());
    told(
        out.write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .err(),
    )
}

/// A line of text for each line of hexadecimal bytes; `!reject` for bytes that are no TYPED_ATOMIC.
pub fn dis_hex(file: &Path, version: Version) -> Result {
    let source = read_text(file)?;
    let mut out = Output::new();
    let mut wrong = Vec::new();
    for (n, line) in source.lines().enumerate() {
        match bytes(line) {
            Some(bytes) => {
                let length = version.ids().instruction();
                let inst = decode(&bytes, version.ids()).ok();
                let whole = inst.filter(|_| bytes.len() == length);
                out.text += &whole.map_or("!reject".to_owned(), |inst| inst.to_string());
                out.text.push('\n');
            }
            None => wrong.push(format!(
                "line {}: expected pairs of hexadecimal digits\n",
                n + 1
            )),
        }
        out.settle();
    }
    out.finish()?;
    if wrong.is_empty() {
        return Ok(());
    }
    let _ = std::io::Write::write_all(&mut anstream::stderr(), wrong.concat().as_bytes());
    let lines = match wrong.len() {
        1 => "1 line is".to_owned(),
        n => format!("{n} lines are"),
    };
    Err(Failure::usage(format!("{lines} no hexadecimal bytes")).of(file))
}

/// The bytes of a line: pairs of digits, with blanks between them or without.
fn bytes(line: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = line.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let pair = |pair: &[u8]| {
        let [high, low] = *pair else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        Some((digit(high)? * 16 + digit(low)?) as u8)
    };
    digits.chunks(2).map(pair).collect()
}
