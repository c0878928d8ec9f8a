//! NVIDIA's SUATOM in the commands: the options `--isa maxwell:52`, and cubins.

mod cubin;
mod drawing;
mod explanation;
mod page;
mod rows;

use std::path::Path;

use serde::Serialize;
use wavetank_facts::SuatomFacts;
use wavetank_surface_isa::maxwell::{
    Bundle, Control, EncodeError, Generation, Inst, Op, Slot, decode,
};
use wavetank_surface_isa::{Line, SurfaceIsa, TextError};

use super::cli_isa::{Asked, CliIsa, Row};
use super::reference::Reference;
use crate::exit::{Failure, Result};

pub(crate) use explanation::is_suatom;

/// A line of a source in JSON. The offset is in bytes from the first bundle; `control` is the slot's 21 bits.
#[derive(Serialize)]
pub(crate) struct Assembled {
    line: usize,
    offset: usize,
    text: String,
    word: String,
    control: u64,
}

impl CliIsa for Generation {
    const HELPS: bool = false;
    const HEADERS: [(&'static [&'static str], &'static [usize]); 2] = [
        (&["name", "op", "forms"], &[2]),
        (&["name", "op", "executes", "fidelity", "reason"], &[4]),
    ];

    type Assembled<'l> = Assembled;
    type Facts = page::Facts;
    type Explanation = SuatomFacts;
    type RowFacts = rows::Facts;

    fn assembled(self, number: usize, line: &Line<Slot>) -> Assembled {
        Assembled {
            line: line.number,
            offset: Bundle::offset(number),
            text: self.print(&line.statement),
            word: Generation::hex(&line.statement),
            control: line.statement.control.bits(),
        }
    }

    fn hex(slot: &Slot) -> String {
        format!("{:#018x}", slot.word)
    }

    fn file(path: &Path, bytes: Vec<u8>, isa: Option<Generation>) -> Result<String> {
        cubin::listing(path, &bytes, isa)
    }

    fn decode_line(self, line: &str) -> Option<Option<Inst>> {
        let digits = line.trim();
        let word = digits_of(digits.strip_prefix("0x").unwrap_or(digits), 16)?;
        Some(decode(word, self).ok())
    }

    fn refuse_lines(path: &Path, numbers: &[usize]) -> Result {
        let [first, ..] = numbers else { return Ok(()) };
        let sentence = format!(
            "line {first} is not a word of 16 hexadecimal digits ({} such in all)",
            numbers.len()
        );
        Err(Failure::usage(sentence).of(path))
    }

    fn reference(self) -> Reference {
        page::reference(self)
    }

    fn operations(self) -> Vec<Reference> {
        let page = |op: &Op| page::operation_page(self, *op);
        Op::ALL.iter().map(page).collect()
    }

    fn facts(self) -> page::Facts {
        page::facts(self)
    }

    /// A word of 64 bits: one of 16 digits, or two of 8, the low one first, as GCN's words stand.
    fn code(text: &str) -> Option<u64> {
        let words = text.split_whitespace();
        let words: Vec<&str> = words.map(|w| w.strip_prefix("0x").unwrap_or(w)).collect();
        match words[..] {
            [all] => digits_of(all, 16),
            [low, high] => Some(digits_of(high, 8)? << 32 | digits_of(low, 8)?),
            _ => None,
        }
    }

    fn explain_code(self, inst: &Inst, word: &u64) -> Result<SuatomFacts, EncodeError> {
        SuatomFacts::of(inst, *word, Control::NONE)
    }

    fn explain_text(self, text: &str) -> Result<SuatomFacts, TextError> {
        SuatomFacts::of_text(text, self)
    }

    fn text(explanation: &SuatomFacts) -> String {
        explanation::page(explanation)
    }

    fn rows(self, asked: &Asked<'_>) -> Result<Vec<Row<rows::Facts>>> {
        rows::rows(self, asked)
    }

    fn list(self, rows: &[Row<rows::Facts>]) -> serde_json::Value {
        serde_json::json!({ "isa": self.to_string(), "instructions": rows })
    }

    fn summary(self, rows: &[Row<rows::Facts>]) -> String {
        rows::summary(rows, self)
    }
}

/// Returns the number that a text of `digits` hexadecimal digits stands for.
fn digits_of(text: &str, count: usize) -> Option<u64> {
    let hex = text.len() == count && text.bytes().all(|b| b.is_ascii_hexdigit());
    u64::from_str_radix(text, 16).ok().filter(|_| hex)
}
