//! Intel's TYPED_ATOMIC in the commands: the option `--isa visa`, and containers (`.isa`).

mod explanation;
mod info;
mod page;
mod patch;
mod rows;

use std::path::Path;

use serde::Serialize;
use wavetank_facts::{TypedAtomicFacts, hex_pairs};
use wavetank_surface_isa::visa::container::MAGIC;
use wavetank_surface_isa::visa::operation::ROWS;
use wavetank_surface_isa::visa::{Container, EncodeError, Encoded, TypedAtomic, Version, decode};
use wavetank_surface_isa::{Line, SurfaceIsa, TextError};

use super::cli_isa::{Asked, CliIsa, Row};
use super::reference::Reference;
use crate::exit::{Failure, Result, shown};
use crate::hex_lines::refuse;

pub(crate) use info::info;
pub(crate) use patch::Patch;

/// Whether bytes are a container of vISA.
pub(crate) fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Whether a text is about TYPED_ATOMIC whatever the instruction set: its name, or an instruction by its text.
pub(crate) fn is_typed_atomic(text: &str) -> bool {
    text.to_ascii_lowercase().contains("typed_atomic")
}

/// A line of a source in JSON.
#[derive(Serialize)]
pub(crate) struct Assembled<'l> {
    line: usize,
    text: String,
    bytes: &'l [u8],
}

impl CliIsa for Version {
    const HELPS: bool = true;
    const HEADERS: [(&'static [&'static str], &'static [usize]); 2] = [
        (
            &["name", "code", "sources", "stores", "returns", "also"],
            &[5],
        ),
        (&["name", "code", "executed", "fidelity"], &[]),
    ];

    type Assembled<'l> = Assembled<'l>;
    type Facts = page::Facts;
    type Explanation = TypedAtomicFacts;
    type RowFacts = rows::Facts;

    fn assembled(self, _: usize, line: &Line<Encoded>) -> Assembled<'_> {
        Assembled {
            line: line.number,
            text: self.print(&line.statement),
            bytes: &line.statement.bytes,
        }
    }

    fn hex(encoded: &Encoded) -> String {
        hex_pairs(&encoded.bytes)
    }

    /// A container names its version itself.
    fn file(path: &Path, bytes: Vec<u8>, _: Option<Version>) -> Result<String> {
        let container = Container::read(bytes);
        let container = container.map_err(|e| Failure::usage(e.to_string()).of(path))?;
        let (path, version) = (shown(path), container.version);
        Ok(format!("// {path}: vISA {version}\n{container}"))
    }

    fn decode_line(self, line: &str) -> Option<Option<TypedAtomic>> {
        let bytes = bytes_of_line(line)?;
        let inst = decode(&bytes, self.ids()).ok();
        Some(inst.filter(|_| bytes.len() == self.ids().instruction()))
    }

    fn refuse_lines(path: &Path, numbers: &[usize]) -> Result {
        let expected = |number: &usize| (*number, "expected pairs of hexadecimal digits");
        let wrong: Vec<_> = numbers.iter().map(expected).collect();
        refuse(path, &wrong)
    }

    fn reference(self) -> Reference {
        page::reference()
    }

    fn operations(self) -> Vec<Reference> {
        ROWS.iter().map(page::operation_page).collect()
    }

    fn facts(self) -> page::Facts {
        page::Facts::new()
    }

    /// The bytes of pairs of hexadecimal digits.
    fn code(text: &str) -> Option<Vec<u8>> {
        let pair = |word: &str| {
            let digits = word.len() == 2 && word.bytes().all(|b| b.is_ascii_hexdigit());
            u8::from_str_radix(word, 16).ok().filter(|_| digits)
        };
        let words: Option<Vec<u8>> = text.split_whitespace().map(pair).collect();
        words.filter(|bytes| !bytes.is_empty())
    }

    /// Explains the instruction at the start of the bytes; its own bytes are shown.
    fn explain_code(
        self,
        inst: &TypedAtomic,
        _: &Vec<u8>,
    ) -> Result<TypedAtomicFacts, EncodeError> {
        TypedAtomicFacts::of(inst, self)
    }

    fn explain_text(self, text: &str) -> Result<TypedAtomicFacts, TextError> {
        TypedAtomicFacts::of_text(text, self)
    }

    fn text(explanation: &TypedAtomicFacts) -> String {
        explanation::page(explanation)
    }

    fn rows(self, asked: &Asked<'_>) -> Result<Vec<Row<rows::Facts>>> {
        rows::rows(asked)
    }

    fn summary(self, rows: &[Row<rows::Facts>]) -> String {
        rows::summary(rows)
    }
}

/// The bytes of a line: pairs of digits, with blanks between them or without.
fn bytes_of_line(line: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = line.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let pair = |pair: &[u8]| {
        let [high, low] = *pair else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        Some((digit(high)? * 16 + digit(low)?) as u8)
    };
    digits.chunks(2).map(pair).collect()
}
