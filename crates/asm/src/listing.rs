//! Code to a listing: an instruction a line, symbols and branch targets as labels, address and words behind it.

use std::collections::HashSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fmt::Write as _;
use std::io::{self, Write};

use thiserror::Error;
use wavetank_isa::tables::{Field, Kind};
use wavetank_isa::text::print_at;
use wavetank_isa::{Chip, Dialect, Inst, Operand, decode};
use wavetank_object::{CodeObject, KERNEL_CODE_SIZE, Symbol, SymbolKind};
use wavetank_quote::{plain, readable};

/// Text is handed on in pieces of about this size, in bytes.
const PIECE: usize = 1 << 16;
/// Zeros of so many dwords are padding, not instructions.
const PADDING: usize = 4;
/// The column at which the address stands.
const ADDRESS_COLUMN: usize = 60;
const BLANKS: &str = match std::str::from_utf8(&[b' '; ADDRESS_COLUMN]) {
    Ok(blanks) => blanks,
    Err(_) => "",
};

/// Why there is no listing of a code object.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ListingError {
    /// Code of a chip that is no GCN.
    #[error("this is code for {0}; gfx600 to gfx90c can be disassembled")]
    Chip(String),
}

/// A listing of code. The text is a source that [`assemble`](crate::assemble) reads, where the code is instructions
/// throughout; words that are none are shown as `.long`.
///
/// ```
/// use wavetank_asm::Listing;
/// use wavetank_isa::{Chip, Dialect};
/// let code = [0x00, 0x81, 0x80, 0x80, 0xfe, 0xff, 0x85, 0xbf];
/// let mut text = Vec::new();
/// Listing::raw(&code, Chip::Gfx900).write(Dialect::Llvm, &mut text)?;
/// let text = String::from_utf8(text)?;
/// assert!(text.starts_with("L0:\n\ts_sub_u32 s0, s0, 1"));
/// assert!(text.contains("\ts_cbranch_scc1 L0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Listing<'a> {
    chip: Chip,
    regions: Vec<Region<'a>>,
    /// Names of addresses: symbols, and targets of branches.
    labels: BTreeMap<u64, Label>,
    /// Whether long runs of zeros are shown as such.
    folds_zeros: bool,
}

/// The name of an address.
struct Label {
    name: String,
    /// Whether the code object has it; else it is one for a branch.
    symbol: bool,
}

/// A run of bytes.
struct Region<'a> {
    address: u64,
    bytes: &'a [u8],
    /// Whether it is code; descriptors of version 2 lie among it.
    code: bool,
}

impl<'a> Listing<'a> {
    /// A listing of plain bytes, which begin at address 0. Every word is shown.
    pub fn raw(bytes: &'a [u8], chip: Chip) -> Self {
        let region = Region {
            address: 0,
            bytes,
            code: true,
        };
        let listing = Listing {
            chip,
            regions: vec![region],
            labels: BTreeMap::new(),
            folds_zeros: false,
        };
        listing.with_targets()
    }

    /// A listing of the code of a code object.
    ///
    /// # Errors
    /// [`ListingError::Chip`] if it is for a chip that is no GCN.
    pub fn of(object: &'a CodeObject) -> Result<Self, ListingError> {
        let name = object.target().chip.as_str();
        // A generic target has the instructions that all of its chips have.
        let name = if name == "gfx9-generic" {
            "gfx900"
        } else {
            name
        };
        let chip = Chip::from_name(name).ok_or_else(|| ListingError::Chip(name.to_owned()))?;
        let listing = Listing {
            chip,
            regions: regions(object),
            labels: symbols(object),
            folds_zeros: true,
        };
        Ok(listing.with_targets())
    }

    /// The chip whose instructions these are.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// Gives each place that a branch leads to a name.
    fn with_targets(mut self) -> Self {
        let mut targets = Vec::new();
        for region in self.regions.iter().filter(|r| r.code) {
            // Which dwords begin an instruction: a branch into the midst of one has no name to go to.
            let mut begins = vec![false; region.bytes.len().div_ceil(4)];
            let mut found = Vec::new();
            region.each(self.chip, |address, _, inst| {
                begins[((address - region.address) / 4) as usize] = true;
                found.extend(inst.and_then(|i| target(i, address)));
            });
            found.retain(|to| {
                let distance = to.checked_sub(region.address);
                distance.is_some_and(|d| begins.get((d / 4) as usize) == Some(&true))
            });
            targets.append(&mut found);
        }
        targets.sort_unstable();
        targets.dedup();
        let taken: HashSet<String> = self.labels.values().map(|l| l.name.clone()).collect();
        let names = (0..).map(|n| format!("L{n}"));
        let mut names = names.filter(|name| !taken.contains(name));
        for address in targets {
            if let Entry::Vacant(place) = self.labels.entry(address)
                && let Some(name) = names.next()
            {
                place.insert(Label {
                    name,
                    symbol: false,
                });
            }
        }
        self
    }

    /// Writes the listing.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, dialect: Dialect, out: &mut impl Write) -> io::Result<()> {
        let mut page = Page {
            text: String::with_capacity(PIECE + 256),
            dialect,
            labels: &self.labels,
            out,
        };
        for region in &self.regions {
            page.region(self, region)?;
        }
        page.flush()
    }
}

impl Region<'_> {
    /// Goes over its instructions: address, bytes, and what they are.
    fn each(&self, chip: Chip, mut visit: impl FnMut(u64, &[u8], Option<&Inst>)) {
        let mut at = 0;
        while at < self.bytes.len() {
            let rest = &self.bytes[at..];
            let inst = decode(rest, chip).ok();
            let length = inst.as_ref().map_or(4, |i| i.len.into()).min(rest.len());
            visit(self.address + at as u64, &rest[..length], inst.as_ref());
            at += length;
        }
    }
}

/// Where a branch leads.
fn target(inst: &Inst, address: u64) -> Option<u64> {
    let last = inst.row().operands.last()?;
    if last.kind != Kind::Target {
        return None;
    }
    match inst.operand(Field::Simm16) {
        Operand::Imm(words) => {
            let distance = 4 * i64::from(words as i16);
            Some(address.wrapping_add(4).wrapping_add_signed(distance))
        }
        _ => None,
    }
}

/// The executable parts of a code object.
fn regions(object: &CodeObject) -> Vec<Region<'_>> {
    let mut descriptors: Vec<u64> = Vec::new();
    if object.version() == 2 {
        descriptors.extend(object.kernels().iter().map(|k| k.descriptor_address));
        descriptors.sort_unstable();
    }
    let mut regions = Vec::new();
    for segment in object.segments().iter().filter(|s| s.executable) {
        let start = segment.file_offset as usize;
        let end = start.saturating_add(segment.file_size as usize);
        let Some(bytes) = object.bytes().get(start..end) else {
            continue;
        };
        let mut at = 0;
        let mut push = |from: usize, to: usize, code: bool| {
            if let Some(bytes) = bytes.get(from..to).filter(|b| !b.is_empty()) {
                regions.push(Region {
                    address: segment.address + from as u64,
                    bytes,
                    code,
                });
            }
        };
        for descriptor in &descriptors {
            let Some(from) = descriptor.checked_sub(segment.address) else {
                continue;
            };
            let from = (from as usize).min(bytes.len());
            let to = (from + KERNEL_CODE_SIZE).min(bytes.len());
            push(at, from, true);
            push(from, to, false);
            at = at.max(to);
        }
        push(at, bytes.len(), true);
    }
    regions
}

/// Names of code addresses, the best one of each.
fn symbols(object: &CodeObject) -> BTreeMap<u64, Label> {
    let rank = |s: &&Symbol| match s.kind {
        SymbolKind::Kernel => 0,
        SymbolKind::Function => 1,
        _ => 2,
    };
    let mut symbols: Vec<&Symbol> = object.symbols().iter().collect();
    symbols.retain(|s| matches!(rank(s), 0 | 1) || s.kind == SymbolKind::Label);
    symbols.sort_by_key(|s| std::cmp::Reverse((rank(s), !s.global)));
    // In version 2 the symbol of a kernel is its descriptor.
    let code = |s: &Symbol| match (object.version(), object.kernel(&s.name)) {
        (2, Some(kernel)) if s.address == kernel.descriptor_address => kernel.entry,
        _ => s.address,
    };
    let label = |s: &Symbol| Label {
        name: s.name.clone(),
        symbol: true,
    };
    symbols.iter().map(|s| (code(s), label(s))).collect()
}

/// Text on its way out.
struct Page<'p, W> {
    text: String,
    dialect: Dialect,
    labels: &'p BTreeMap<u64, Label>,
    out: &'p mut W,
}

impl<W: Write> Page<'_, W> {
    fn region(&mut self, listing: &Listing<'_>, region: &Region<'_>) -> io::Result<()> {
        if !region.code {
            let count = region.bytes.len();
            let _ = writeln!(self.text, "\n// {count} bytes: the descriptor of a kernel");
            return Ok(());
        }
        let mut labels = self.labels.range(region.address..).peekable();
        let mut problem = Ok(());
        let mut zeros = 0..0u64;
        region.each(listing.chip, |address, bytes, inst| {
            while let Some((_, label)) = labels.next_if(|(at, _)| **at <= address) {
                let first = address == region.address;
                let blank = if label.symbol && !first { "\n" } else { "" };
                let (name, shown) = (plain(&label.name).to_string(), readable(&label.name));
                let _ = match shown == name {
                    true => writeln!(self.text, "{blank}{name}:"),
                    false => writeln!(self.text, "{blank}{name}: // {shown}"),
                };
            }
            if zeros.contains(&address) {
                return;
            }
            let start = (address - region.address) as usize;
            let end = labels
                .peek()
                .map(|(at, _)| (**at - region.address) as usize);
            let end = end.map_or(region.bytes.len(), |end| end.min(region.bytes.len()));
            // Looked at once a run, not once a dword of it: without folding every dword is shown.
            let folded = &region.bytes[start..end.max(start)];
            let run = if listing.folds_zeros {
                zero_dwords(folded)
            } else {
                0
            };
            if run >= PADDING {
                zeros = address..address + 4 * run as u64;
                let _ = writeln!(self.text, "\t.fill {run}, 4, 0");
                return;
            }
            self.line(address, bytes, inst);
            if self.text.len() >= PIECE && problem.is_ok() {
                problem = self.flush();
            }
        });
        problem
    }

    /// `\ts_branch L3      // 000000001100: BF820003`
    fn line(&mut self, address: u64, bytes: &[u8], inst: Option<&Inst>) {
        let start = self.text.len();
        self.text.push('\t');
        match inst {
            Some(inst) => self.instruction(address, inst),
            None => words(bytes, |word| {
                let first = self.text.len() == start + 1;
                self.text.push_str(if first { ".long 0x" } else { ", 0x" });
                hex(&mut self.text, word.into(), 1);
            }),
        }
        let width = self.text.len() - start;
        let blanks = ADDRESS_COLUMN.saturating_sub(width);
        self.text.push_str(&BLANKS[..blanks]);
        self.text.push_str(" // ");
        hex(&mut self.text, address, 12);
        self.text.push(':');
        words(bytes, |word| {
            self.text.push(' ');
            hex(&mut self.text, word.into(), 8);
        });
        self.text.push('\n');
    }

    /// An instruction, with the name of the place it branches to.
    fn instruction(&mut self, address: u64, inst: &Inst) {
        // Writing to a string does not fail.
        let _ = print_at(inst, self.dialect, address, &mut self.text);
        let label = target(inst, address).and_then(|to| self.labels.get(&to));
        if let Some(Label { name, .. }) = label
            && let Some(blank) = self.text.rfind(' ')
        {
            self.text.truncate(blank + 1);
            let _ = write!(self.text, "{}", plain(name));
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }
}

/// Zero dwords at the beginning of some bytes.
fn zero_dwords(bytes: &[u8]) -> usize {
    let dwords = bytes.chunks_exact(4);
    dwords.take_while(|d| **d == [0; 4]).count()
}

/// The little-endian dwords of some bytes; a rest is filled up with zeros.
fn words(bytes: &[u8], mut visit: impl FnMut(u32)) {
    for chunk in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        visit(u32::from_le_bytes(word));
    }
}

/// Appends a number in capital hexadecimal digits, at least so many.
fn hex(out: &mut String, value: u64, digits: usize) {
    let mut text = [b'0'; 16];
    let mut rest = value;
    for place in text.iter_mut().rev() {
        *place = b"0123456789ABCDEF"[(rest & 15) as usize];
        rest >>= 4;
        if rest == 0 {
            break;
        }
    }
    let used = (64 - value.leading_zeros()).div_ceil(4) as usize;
    let shown = &text[text.len() - used.max(digits)..];
    // Digits are ASCII.
    out.push_str(std::str::from_utf8(shown).unwrap_or_default());
}
