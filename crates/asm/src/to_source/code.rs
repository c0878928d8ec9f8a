//! Output of code: instructions, with names for the targets of branches and literals.

use wavetank_gcn::text::{parse_at, print_at};
use wavetank_gcn::{Inst, decode, encode};

use super::parts::{Part, target};
use super::{DIALECT, Writer};

impl Writer<'_> {
    /// Writes the code between two offsets; returns the offset where it ends.
    pub(super) fn code(&mut self, part: &Part<'_>, start: u64, end: u64) -> u64 {
        let bytes = part.bytes;
        let mut at = start;
        while at < end {
            let rest = &bytes[at as usize..];
            let same = rest
                .chunks_exact(4)
                .take_while(|word| **word == rest[..4.min(rest.len())]);
            let same = (same.count() as u64).min((end - at) / 4);
            let waits = part.references.range(at..at + 4 * same).next().is_some();
            let same = if waits { 0 } else { same };
            if same >= 8 {
                let word = u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]);
                self.line(format_args!(".fill {same}, 4, {word:#x}"));
                at += 4 * same;
                continue;
            }
            let inst = decode(rest, self.chip).ok();
            let inst = inst.filter(|inst| at + u64::from(inst.len) <= end);
            let length = inst
                .as_ref()
                .map_or(4, |inst| inst.len.into())
                .min(end - at);
            let bytes = &rest[..length as usize];
            if part.references.range(at..at + length).next().is_some() {
                if let Some(text) = inst.and_then(|inst| self.with_symbol(part, &inst, at)) {
                    self.line(text);
                    at += length;
                } else {
                    let size = part.addresses.get(&at).map_or(length, |place| place.size);
                    at = self.data(part, at, end.min(at + size.max(length)));
                }
                continue;
            }
            let text = inst.and_then(|inst| self.instruction(part, &inst, at, bytes));
            match text {
                Some(text) => self.line(text),
                None => self.words(bytes),
            }
            at += length;
        }
        at
    }

    /// Returns the text of an instruction, if it assembles to the same bytes again.
    fn instruction(&self, part: &Part<'_>, inst: &Inst, at: u64, bytes: &[u8]) -> Option<String> {
        let mut text = String::new();
        print_at(inst, DIALECT, at, &mut text).ok()?;
        // A literal of 0, as upper halves have, assembles to the same bytes only with its name.
        if let Some(named) = self.with_reference(part, at, bytes, &text) {
            return Some(named);
        }
        let again = parse_at(&text, self.chip, DIALECT, at).ok()?;
        let code = encode(&again).ok()?;
        if code.as_bytes() != bytes {
            return None;
        }
        if let Some(name) = target(inst, at).and_then(|to| part.target_name(to)) {
            let blank = text.rfind(' ')?;
            return Some(format!("{}{name}", &text[..=blank]));
        }
        Some(text)
    }

    /// Returns the text of an addition to a program counter, with the name of its target: the linker counts that distance from
    /// the literal.
    fn with_reference(&self, part: &Part<'_>, at: u64, bytes: &[u8], text: &str) -> Option<String> {
        let (low, high) = (
            text.starts_with("s_add_u32 "),
            text.starts_with("s_addc_u32 "),
        );
        if !(low || high) || bytes.len() != 8 {
            return None;
        }
        let (name, operand) = text.rsplit_once(", ")?;
        let register = name.split_whitespace().nth(1)?.trim_end_matches(',');
        let (pair, places) = pair_at(part, at, high)?;
        let [low_at, high_at] = places;
        let half = if high { pair + 1 } else { pair };
        if register != format!("s{half}") || !operand.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let literal = |at: u64| {
            let bytes = part.bytes.get(at as usize + 4..at as usize + 8)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        // The lower half is counted from its literal, and includes the 4 bytes from the counter to there.
        let distance = u64::from(literal(low_at)?) | u64::from(literal(high_at)?) << 32;
        let to = (part.address + low_at).wrapping_add(distance);
        let from = part.address + if high { high_at } else { low_at };
        let addend = from.wrapping_add(4).wrapping_sub(part.address + low_at);
        let (variant, symbol) = match self.names.entry(to) {
            Some(symbol) => ("gotpcrel32", symbol.into_owned()),
            None => ("rel32", self.names.address(to)?),
        };
        let half = if high { "hi" } else { "lo" };
        let (symbol, more) = match symbol.split_once('+') {
            Some((symbol, more)) => (symbol.to_owned(), more.parse::<u64>().ok()?),
            None => (symbol, 0),
        };
        Some(format!(
            "{name}, {symbol}@{variant}@{half}+{}",
            addend + more
        ))
    }

    /// Writes bytes that are not an instruction.
    pub(super) fn words(&mut self, bytes: &[u8]) {
        match bytes.len() % 4 {
            0 => {
                let words = bytes
                    .chunks_exact(4)
                    .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
                let words: Vec<String> = words.map(|word| format!("{word:#x}")).collect();
                self.line(format_args!(".long {}", words.join(", ")));
            }
            _ => {
                let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#x}")).collect();
                self.line(format_args!(".byte {}", bytes.join(", ")));
            }
        }
    }
}

/// Returns the register pair of an `s_getpc_b64` and the offsets of the two additions that follow it, one of which is at `at`.
/// The program counter is the address after `s_getpc_b64`.
fn pair_at(part: &Part<'_>, at: u64, high: bool) -> Option<(u32, [u64; 2])> {
    // Compilers write the three instructions one after another.
    let low_at = if high { at.checked_sub(8)? } else { at };
    let getpc = low_at.checked_sub(4)?;
    let word = |at: u64| {
        let bytes = part.bytes.get(at as usize..at as usize + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    // SOP1: bits 31:23 are 0x17d, the destination is in 22:16.
    let first = word(getpc)?;
    if first >> 23 != 0x17d {
        return None;
    }
    let pair = first >> 16 & 0x7f;
    // SOP2 with a literal: the destination is in 22:16, and one of the sources is 0xff; s_add_u32 is opcode 0, s_addc_u32 4.
    let adds = |word: u32, opcode: u32, register: u32| {
        word >> 23 == 0x100 | opcode
            && word >> 16 & 0x7f == register
            && word & 0xff == register
            && word >> 8 & 0xff == 0xff
    };
    let both = adds(word(low_at)?, 0, pair) && adds(word(low_at + 8)?, 4, pair + 1);
    both.then_some((pair, [low_at, low_at + 8]))
}
