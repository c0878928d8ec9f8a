//! Speculative parsing of instructions on threads, ahead of the session.
//!
//! Most lines of a source are instructions that mention no symbol, so that their meaning depends on nothing before them. Only the session can
//! decide how a line must be read: it takes an instruction from here if it would parse the same bytes of the same text.

use std::ops::Range;
use std::rc::Rc;
use std::thread;
use std::vec;

use memchr::{memchr, memchr3};
use wavetank_gcn::text::parse_quietly;
use wavetank_gcn::{Chip, Dialect, Encoded, Inst, encode};

use super::names;
use crate::ordered_pool::Results;
use crate::source::first_word;
use crate::state::FirstCharFilter;

/// Bytes of source that a thread parses as one piece.
const PIECE: usize = 1 << 14;
/// Length in bytes from which a source is worth the start of threads.
const LONG: usize = 1 << 18;

/// An instruction that has been parsed.
pub(crate) struct Parsed {
    /// The range of the source that holds the instruction.
    pub place: Range<usize>,
    pub inst: (Inst, Encoded),
    /// The first characters of its words that may be names of symbols.
    pub first_chars: FirstCharFilter,
}

/// Instructions of a source that threads have parsed, in order.
pub(crate) struct Preparsed {
    results: Results<Vec<Parsed>>,
    /// The number of pieces that have not been taken.
    left: usize,
    current: vec::IntoIter<Parsed>,
    /// The text of the whole source.
    source: Rc<str>,
    chip: Chip,
}

/// Whether a source is worth the start of threads: it is long, and in LLVM's dialect.
pub(crate) fn is_worthwhile(source: &str, dialect: Dialect) -> bool {
    dialect == Dialect::Llvm && source.len() >= LONG
}

/// Parses a source on threads while `read` reads it. The threads end when `read` has dropped their results.
pub(crate) fn while_parsing(source: &Rc<str>, chip: Chip, read: impl FnOnce(Preparsed)) {
    let text = &**source;
    let pieces = pieces(text);
    let work = |piece: &Range<usize>| parsed(text, piece.clone(), chip);
    thread::scope(|scope| {
        read(Preparsed {
            results: Results::of(scope, &pieces, &work),
            left: pieces.len(),
            current: Vec::new().into_iter(),
            source: source.clone(),
            chip,
        });
    });
}

impl Preparsed {
    /// Takes the instruction that is exactly these bytes of a text, if it has been parsed for this chip.
    pub(crate) fn take(
        &mut self,
        text: &Rc<str>,
        place: Range<usize>,
        chip: Chip,
    ) -> Option<(Inst, Encoded)> {
        let parsed = self.within(text, &place, chip)?;
        (parsed.place == place).then_some(parsed.inst)
    }

    /// Returns the first instruction within these bytes of a text, if it has been parsed for this chip.
    pub(crate) fn within(
        &mut self,
        text: &Rc<str>,
        bytes: &Range<usize>,
        chip: Chip,
    ) -> Option<&Parsed> {
        if !Rc::ptr_eq(text, &self.source) || chip != self.chip {
            return None;
        }
        loop {
            match self.current.as_slice().first() {
                Some(parsed) if parsed.place.start < bytes.start => drop(self.current.next()),
                Some(_) => break,
                None => {
                    self.left = self.left.checked_sub(1)?;
                    self.current = self.results.take().unwrap_or_default().into_iter();
                }
            }
        }
        let first = self.current.as_slice().first();
        first.filter(|parsed| parsed.place.end <= bytes.end)
    }
}

/// Cuts a source into pieces at ends of lines.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let least = (start + PIECE).min(text.len());
        let end = memchr(b'\n', &text.as_bytes()[least..]);
        let end = end.map_or(text.len(), |end| least + end + 1);
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// Parses the lines of a piece that are instructions. Branches are left out, since most of them have names.
fn parsed(text: &str, piece: Range<usize>, chip: Chip) -> Vec<Parsed> {
    let mut found = Vec::with_capacity(piece.len() / 32);
    let branches = names::branches();
    let mut at = piece.start;
    for line in text[piece].split_inclusive('\n') {
        let body = line.trim_start();
        let start = at + line.len() - body.len();
        at += line.len();
        let end = memchr3(b';', b'/', b'#', body.as_bytes());
        let order = body[..end.unwrap_or(body.len())].trim_end();
        let word = first_word(order);
        let is_order = word.starts_with(|c: char| c.is_ascii_lowercase());
        if !is_order || branches.contains(word) {
            continue;
        }
        if let Some(inst) = parse_quietly(order, chip, Dialect::Llvm, 0)
            && let Ok(code) = encode(&inst)
        {
            found.push(Parsed {
                place: start..start + order.len(),
                inst: (inst, code),
                first_chars: names::first_chars(order),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_lines_are_parsed_in_parallel() {
        let text = "  v_mov_b32 v1, v2 // a copy\ns_branch 1\nl: s_nop 0\n.long 1\ns_nop 1";
        let text = format!("{text}\n").repeat(3000);
        let ends: Vec<usize> = pieces(&text).iter().map(|piece| piece.end).collect();
        assert_eq!(ends.last(), Some(&text.len()));
        assert!(
            ends.iter()
                .all(|end| *end == text.len() || text.as_bytes()[end - 1] == b'\n')
        );
        let found: Vec<Parsed> = pieces(&text)
            .into_iter()
            .flat_map(|piece| parsed(&text, piece, Chip::Gfx900))
            .collect();
        assert_eq!(found.len(), 6000);
        for Parsed { place, inst, .. } in found {
            let (written, inst) = (&text[place], inst.0);
            assert!(
                ["v_mov_b32 v1, v2", "s_nop 1"].contains(&written),
                "{written}"
            );
            assert_eq!(written.starts_with("s_nop"), inst.to_string() == "s_nop 1");
        }
    }
}
