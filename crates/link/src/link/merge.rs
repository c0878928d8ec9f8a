//! Mergeable sections, whose equal entries, mostly strings, become one.
//!
//! LLVM's linker defines the order of the entries (`lld/ELF/SyntheticSections.cpp`, `MergeNoTailSection`): the upper bits of a
//! hash select one of 32 parts, in which the entries are in order of appearance. The same order is used here, because `.rodata`
//! would differ otherwise.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::elf::SHF_STRINGS;
use crate::file::align_up;
use crate::relocatable::Section;

/// The number of parts, and the shift that selects a part from the 31 bits of a hash.
const PARTS: usize = 32;
const PART_SHIFT: u32 = 31 - PARTS.trailing_zeros();

/// The distinct entries of sections of the same kind.
pub(super) struct Merged {
    /// The output section, and the offset of the entries in it.
    pub output: usize,
    pub at: u64,
    flags: u64,
    entry_size: u64,
    align: u64,
    entries: Vec<Entry>,
    /// The index of each entry.
    known: HashMap<Vec<u8>, usize>,
    /// For each input section, the offsets of its entries, and their indices.
    members: Vec<Vec<(u64, usize)>>,
}

struct Entry {
    bytes: Vec<u8>,
    /// The part that contains the entry.
    part: usize,
    /// The offset of the entry, once all are known.
    at: u64,
}

impl Merged {
    pub(super) fn new(output: usize, like: &Section) -> Merged {
        Merged {
            output,
            at: 0,
            flags: like.flags,
            entry_size: like.entry_size,
            align: like.align.max(1),
            entries: Vec::new(),
            known: HashMap::new(),
            members: Vec::new(),
        }
    }

    /// Whether a section's entries are of this kind.
    pub(super) fn takes(&self, section: &Section) -> bool {
        let strings = self.flags & SHF_STRINGS != 0;
        self.flags == section.flags
            && self.entry_size == section.entry_size
            && (self.align == section.align.max(1) || !strings)
    }

    /// Adds the entries of a section; returns the index of the member.
    pub(super) fn add(&mut self, section: &Section) -> usize {
        self.align = self.align.max(section.align);
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < section.bytes.len() {
            let size = self.entry(&section.bytes[at..]);
            let number = self.number(&section.bytes[at..at + size]);
            pieces.push((at as u64, number));
            at += size;
        }
        self.members.push(pieces);
        self.members.len() - 1
    }

    /// Returns the size of the first entry: a string with its terminating zero, or an entry of fixed size.
    fn entry(&self, bytes: &[u8]) -> usize {
        let unit = (self.entry_size as usize).min(bytes.len());
        if self.flags & SHF_STRINGS == 0 {
            return unit;
        }
        let is_end = |unit: &[u8]| unit.iter().all(|byte| *byte == 0);
        let end = bytes.chunks(unit).position(is_end);
        // An unterminated string extends to the end of its section.
        end.map_or(bytes.len(), |end| (end + 1) * unit)
    }

    /// Returns the index of an entry, and adds it if it is new.
    fn number(&mut self, entry: &[u8]) -> usize {
        if let Some(number) = self.known.get(entry) {
            return *number;
        }
        // The linker keeps 31 bits of the hash's lower half. Strings are hashed without their terminator.
        let unit = (self.entry_size as usize).min(entry.len());
        let (text, end) = entry.split_at(entry.len() - unit);
        let strings = self.flags & SHF_STRINGS != 0;
        let ends = strings && end.iter().all(|byte| *byte == 0);
        let hash = xxh3_64(if ends { text } else { entry }) as u32 >> 1;
        let number = self.entries.len();
        self.known.insert(entry.to_vec(), number);
        self.entries.push(Entry {
            bytes: entry.to_vec(),
            part: (hash >> PART_SHIFT) as usize,
            at: 0,
        });
        number
    }

    /// Places the entries after all sections have been added; returns their total size and their alignment.
    pub(super) fn finish(&mut self) -> (u64, u64) {
        let mut sizes = [0u64; PARTS];
        for entry in &mut self.entries {
            let size = &mut sizes[entry.part];
            entry.at = align_up(*size, self.align);
            *size = entry.at + entry.bytes.len() as u64;
        }
        let mut total = 0;
        let starts = sizes.map(|size| {
            if size > 0 {
                total = align_up(total, self.align);
            }
            let start = total;
            total += size;
            start
        });
        for entry in &mut self.entries {
            entry.at += starts[entry.part];
        }
        (total, self.align)
    }

    /// Returns the new offset of an input section's offset. An offset after the end keeps its distance from the last entry.
    pub(super) fn place(&self, member: usize, offset: u64) -> Option<u64> {
        let pieces = &self.members[member];
        let after = pieces.partition_point(|(at, _)| *at <= offset);
        let (at, number) = *pieces.get(after.checked_sub(1)?)?;
        Some(self.entries[number].at.saturating_add(offset - at))
    }

    /// Writes the entries at their offsets.
    pub(super) fn write(&self, out: &mut [u8]) {
        for entry in &self.entries {
            let at = entry.at as usize;
            out[at..at + entry.bytes.len()].copy_from_slice(&entry.bytes);
        }
    }
}
