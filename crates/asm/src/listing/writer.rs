//! The text of a listing, piece by piece.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use wavetank_gcn::text::print_at;
use wavetank_gcn::{Chip, Dialect, Inst, decode};
use wavetank_object::{Lines, Source};
use wavetank_quote::{plain, readable};

use super::labels::target;
use super::region::{Label, Region, length};

/// Number of zero dwords from which on they are padding, not instructions.
const PADDING: usize = 4;
/// The column of the address comment.
const ADDRESS_COLUMN: usize = 60;
const BLANKS: &str = match std::str::from_utf8(&[b' '; ADDRESS_COLUMN]) {
    Ok(blanks) => blanks,
    Err(_) => "",
};

/// The settings of a listing: which details are shown beside the bytes.
pub(super) struct Look {
    pub chip: Chip,
    /// Names of addresses: symbols, and targets of branches.
    pub labels: BTreeMap<u64, Label>,
    /// Whether long runs of zeros are folded into one line.
    pub folds_zeros: bool,
    /// The source lines to show between instructions.
    pub lines: Option<Lines>,
    /// Relocations, which are shown after the instructions that they change.
    pub relocations: BTreeMap<u64, String>,
}

impl Look {
    pub(super) fn new(chip: Chip, labels: BTreeMap<u64, Label>, folds_zeros: bool) -> Self {
        Look {
            chip,
            labels,
            folds_zeros,
            lines: None,
            relocations: BTreeMap::new(),
        }
    }
}

/// A run of instructions that are written together.
pub(super) struct Piece<'a> {
    pub region: &'a Region<'a>,
    /// The range of the piece, in bytes from the start of the region.
    pub range: Range<usize>,
    /// The address from which on labels have not been written yet.
    pub labels_from: u64,
}

/// The text of a listing that is being written.
pub(super) struct Writer<'l> {
    look: &'l Look,
    dialect: Dialect,
    text: String,
}

impl Writer<'_> {
    /// Returns the text of a piece.
    pub(super) fn of(look: &Look, dialect: Dialect, piece: &Piece<'_>) -> String {
        let space = 24 * piece.range.len();
        let mut writer = Writer {
            look,
            dialect,
            text: String::with_capacity(space),
        };
        if piece.region.code {
            writer.code(piece);
        } else {
            let count = piece.range.len();
            // Writing to a string does not fail.
            let _ = writeln!(
                writer.text,
                "\n// {count} bytes: the descriptor of a kernel"
            );
        }
        writer.text
    }

    fn code(&mut self, piece: &Piece<'_>) {
        let Piece { region, range, .. } = piece;
        let mut labels = self.look.labels.range(piece.labels_from..).peekable();
        // The source line before the piece has been shown there already.
        let before = region.address + range.start as u64;
        let mut shown = match range.start {
            0 => Source::default(),
            _ => self.source(before - 4),
        };
        let mut at = range.start;
        while at < range.end {
            let address = region.address + at as u64;
            while let Some((_, label)) = labels.next_if(|(place, _)| **place <= address) {
                self.label(label, at == 0);
            }
            let next = labels.peek().map(|(place, _)| **place - region.address);
            let end = next.map_or(region.bytes.len(), |next| next as usize);
            let waits = self.look.relocations.range(address..).next();
            let waits = waits.map_or(end, |(place, _)| (*place - region.address) as usize);
            let padding = self.padding(region, at, end.min(waits));
            if padding > 0 {
                let _ = writeln!(self.text, "\t.fill {padding}, 4, 0");
                at += 4 * padding;
                continue;
            }
            let source = self.source(address);
            if source != shown && !source.is_empty() {
                let _ = writeln!(self.text, "\t// {source}");
                shown = source;
            }
            let code = &region.bytes[at..];
            let inst = decode(code, self.look.chip);
            let length = length(code, &inst);
            self.line(address, &code[..length], inst.as_ref().ok());
            let after = address..address + length as u64;
            for (place, text) in self.look.relocations.range(after) {
                let _ = writeln!(self.text, "\t\t// {place:012X}: {text}");
            }
            at += length;
        }
    }

    /// Returns the source line of an instruction, if lines are shown.
    fn source(&self, address: u64) -> Source {
        let lines = self.look.lines.as_ref();
        lines.map_or_else(Source::default, |lines| lines.at(address))
    }

    fn label(&mut self, label: &Label, is_first: bool) {
        let blank = if label.symbol && !is_first { "\n" } else { "" };
        let (name, shown) = (plain(&label.name).to_string(), readable(&label.name));
        let _ = if shown == name {
            writeln!(self.text, "{blank}{name}:")
        } else {
            writeln!(self.text, "{blank}{name}: // {shown}")
        };
    }

    /// Returns the number of dwords from `start` on that are folded zeros.
    fn padding(&self, region: &Region<'_>, start: usize, end: usize) -> usize {
        if !self.look.folds_zeros {
            return 0;
        }
        let end = end.min(region.bytes.len()).max(start);
        let dwords = region.bytes[start..end].chunks_exact(4);
        let zeros = dwords.take_while(|d| **d == [0; 4]).count();
        if zeros < PADDING { 0 } else { zeros }
    }

    /// Writes a line: `\ts_branch L3      // 000000001100: BF820003`.
    fn line(&mut self, address: u64, bytes: &[u8], inst: Option<&Inst>) {
        let start = self.text.len();
        self.text.push('\t');
        match inst {
            Some(inst) => self.instruction(address, inst),
            None => words(bytes, |word| {
                let first = self.text.len() == start + 1;
                let comma = if first { ".long" } else { "," };
                let _ = write!(self.text, "{comma} {word:#X}");
            }),
        }
        let width = self.text.len() - start;
        let blanks = ADDRESS_COLUMN.saturating_sub(width);
        self.text.push_str(&BLANKS[..blanks]);
        self.comment(address, bytes);
    }

    /// Writes the comment of a line: ` // 000000001100: BF820003`.
    fn comment(&mut self, address: u64, bytes: &[u8]) {
        let mut text = Digits::default();
        text.put(b" // ");
        text.hex(address, 12.max(16 - address.leading_zeros() as usize / 4));
        text.put(b":");
        words(bytes, |word| {
            text.put(b" ");
            text.hex(word.into(), 8);
        });
        text.put(b"\n");
        self.text.push_str(text.as_str());
    }

    /// Writes an instruction, with a label for its branch target.
    fn instruction(&mut self, address: u64, inst: &Inst) {
        let _ = print_at(inst, self.dialect, address, &mut self.text);
        let known = target(inst, address).filter(|_| !self.look.relocations.contains_key(&address));
        let label = known.and_then(|to| self.look.labels.get(&to));
        if let Some(Label { name, .. }) = label
            && let Some(blank) = self.text.rfind(' ')
        {
            self.text.truncate(blank + 1);
            let _ = write!(self.text, "{}", plain(name));
        }
    }
}

/// Visits the little-endian dwords of some bytes; a short last one is padded with zeros.
fn words(bytes: &[u8], mut visit: impl FnMut(u32)) {
    for chunk in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        visit(u32::from_le_bytes(word));
    }
}

/// A short text of digits in a fixed buffer, appended to the line at once, since every line has one.
#[derive(Default)]
struct Digits {
    text: [[u8; 32]; 2],
    length: usize,
}

impl Digits {
    fn put(&mut self, text: &[u8]) {
        let end = self.length + text.len();
        self.text.as_flattened_mut()[self.length..end].copy_from_slice(text);
        self.length = end;
    }

    /// Appends a number in `digits` capital hexadecimal digits.
    fn hex(&mut self, value: u64, digits: usize) {
        let end = self.length + digits;
        let places = &mut self.text.as_flattened_mut()[self.length..end];
        let mut rest = value;
        for place in places.iter_mut().rev() {
            *place = b"0123456789ABCDEF"[(rest & 15) as usize];
            rest >>= 4;
        }
        self.length = end;
    }

    fn as_str(&self) -> &str {
        // The digits are ASCII.
        std::str::from_utf8(&self.text.as_flattened()[..self.length]).unwrap_or_default()
    }
}
