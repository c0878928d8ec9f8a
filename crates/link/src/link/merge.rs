//! Sections whose equal entries become one: strings, mostly.
//!
//! Which entry is where says LLVM's linker in its own way (`lld/ELF/SyntheticSections.cpp`, `MergeNoTailSection`): by the
//! upper bits of a hash to one of 32 parts, and there in the order in which they are seen. It is done so here, since else
//! `.rodata` would differ.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::elf::SHF_STRINGS;
use crate::file::align_up;
use crate::relocatable::Section;

/// How many parts the entries are in, and how many bits of a hash of 31 bits say which.
const PARTS: usize = 32;
const PART_SHIFT: u32 = 31 - PARTS.trailing_zeros();

/// Entries of sections of the same kind, each once.
pub struct Merged {
    /// The section of the result, and where in it they begin.
    pub output: usize,
    pub at: u64,
    flags: u64,
    entry_size: u64,
    align: u64,
    /// The entries, each with the part that it is in and its place there.
    known: HashMap<Vec<u8>, (usize, u64)>,
    parts: Vec<Vec<u8>>,
    /// Where each part begins.
    starts: Vec<u64>,
    /// For each section, where its entries begin and where they have gone.
    members: Vec<Vec<(u64, usize, u64)>>,
}

impl Merged {
    pub fn new(output: usize, like: &Section) -> Merged {
        Merged {
            output,
            at: 0,
            flags: like.flags,
            entry_size: like.entry_size,
            align: like.align.max(1),
            known: HashMap::new(),
            parts: vec![Vec::new(); PARTS],
            starts: vec![0; PARTS],
            members: Vec::new(),
        }
    }

    /// Whether a section's entries are of this kind.
    pub fn takes(&self, section: &Section) -> bool {
        let strings = self.flags & SHF_STRINGS != 0;
        self.flags == section.flags
            && self.entry_size == section.entry_size
            && (self.align == section.align.max(1) || !strings)
    }

    /// Adds the entries of a section, and says which member that is.
    pub fn add(&mut self, section: &Section) -> usize {
        self.align = self.align.max(section.align);
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < section.bytes.len() {
            let size = self.entry(&section.bytes[at..]);
            let (part, place) = self.entry_place(&section.bytes[at..at + size]);
            pieces.push((at as u64, part, place));
            at += size;
        }
        self.members.push(pieces);
        self.members.len() - 1
    }

    /// The size of the entry that some bytes begin with: a string with its zero, or an entry of the fixed size.
    fn entry(&self, bytes: &[u8]) -> usize {
        let unit = (self.entry_size as usize).min(bytes.len());
        if self.flags & SHF_STRINGS == 0 {
            return unit;
        }
        let is_end = |unit: &[u8]| unit.iter().all(|byte| *byte == 0);
        let end = bytes.chunks(unit).position(is_end);
        // A string without an end is an entry to the end of its section.
        end.map_or(bytes.len(), |end| (end + 1) * unit)
    }

    /// The part and the place there of an entry.
    fn entry_place(&mut self, entry: &[u8]) -> (usize, u64) {
        if let Some(place) = self.known.get(entry) {
            return *place;
        }
        // The linker keeps 31 bits of the lower half of the hash, which is that of a string without its end.
        let unit = (self.entry_size as usize).min(entry.len());
        let (text, end) = entry.split_at(entry.len() - unit);
        let strings = self.flags & SHF_STRINGS != 0;
        let ends = strings && end.iter().all(|byte| *byte == 0);
        let hash = xxh3_64(if ends { text } else { entry }) as u32 >> 1;
        let part = (hash >> PART_SHIFT) as usize;
        let bytes = &mut self.parts[part];
        let at = align_up(bytes.len() as u64, self.align);
        bytes.resize(at as usize, 0);
        bytes.extend_from_slice(entry);
        self.known.insert(entry.to_vec(), (part, at));
        (part, at)
    }

    /// Places the parts, once all sections have been added; gives the size and the alignment of all.
    pub fn finish(&mut self) -> (u64, u64) {
        let mut size = 0;
        for (part, start) in self.parts.iter().zip(&mut self.starts) {
            if !part.is_empty() {
                size = align_up(size, self.align);
            }
            *start = size;
            size += part.len() as u64;
        }
        (size, self.align)
    }

    /// Where a place of a section has gone; `None` for one beyond its end.
    pub fn place(&self, member: usize, offset: u64) -> Option<u64> {
        let pieces = &self.members[member];
        let after = pieces.partition_point(|(at, ..)| *at <= offset);
        let (at, part, place) = *pieces.get(after.checked_sub(1)?)?;
        Some(self.starts[part] + place + (offset - at))
    }

    /// Writes the entries where they begin.
    pub fn write(&self, out: &mut [u8]) {
        for (part, start) in self.parts.iter().zip(&self.starts) {
            let start = *start as usize;
            out[start..start + part.len()].copy_from_slice(part);
        }
    }
}
