//! The sections of a source, and the layout of their parts.

use std::collections::HashMap;
use std::rc::Rc;

use wavetank_link::elf;

use super::{Location, SectionId};
use crate::expression::Expr;

/// `s_nop 0`, the padding between functions (SOPP, opcode 0, on every generation).
pub(crate) const NOP: u32 = 0xbf80_0000;

/// Limit of all sections' bytes together.
const LARGEST: u64 = 256 << 20;

/// The number of layout passes for sizes that depend on later locations.
const ROUNDS: usize = 64;

/// The section group of which a section is a member.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Group {
    pub name: Rc<str>,
    /// Whether a linker keeps only the first group of that name.
    pub comdat: bool,
}

/// The identity of a section: directives with the same key mean one section.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    pub name: Rc<str>,
    pub group: Option<Group>,
    /// The number after `unique`.
    pub unique: Option<u64>,
    pub subsection: u64,
}

/// A section. `kind` and `flags` are ELF's `SHT_*` and `SHF_*`.
#[derive(Debug)]
pub(crate) struct Section {
    pub key: Key,
    pub kind: u32,
    pub flags: u64,
    pub entry_size: u64,
    pub align: u64,
    fragments: Vec<Fragment>,
    /// The size of a section without bytes in the file.
    empty: u64,
}

/// A part with known bytes, and the item of unknown size after it.
#[derive(Debug, Default)]
struct Fragment {
    bytes: Vec<u8>,
    tail: Option<Tail>,
}

impl Fragment {
    /// Appends the bytes of the item after the part.
    fn end(&self, made: &Made, bytes: &mut Vec<u8>) {
        match (made, &self.tail) {
            (Made::Leb(number), _) => bytes.extend_from_slice(number),
            (Made::Size(size), Some(Tail::Align { fill, .. })) => {
                bytes.extend(padding(*size, *fill));
            }
            (Made::Size(size), Some(Tail::Copies { bytes: copied, .. })) => {
                bytes.extend(copied.iter().cycle().take(*size as usize));
            }
            _ => {}
        }
    }
}

/// An item whose size is computed when all places are known.
#[derive(Debug)]
pub(crate) enum Tail {
    /// A number in as few bytes as possible (DWARF 5, 7.6).
    Leb { expr: Expr, signed: bool },
    /// Padding up to a multiple of a power of two, omitted if it would exceed `most` bytes.
    Align { align: u64, fill: Fill, most: u64 },
    /// Copies of some bytes, with their number given by an expression.
    Copies { count: Expr, bytes: Box<[u8]> },
}

/// The size that the layout has given to a tail.
#[derive(Clone, PartialEq, Debug)]
enum Made {
    /// The bytes of a number.
    Leb(Vec<u8>),
    /// The number of padding or copied bytes.
    Size(u64),
}

impl Made {
    fn size(&self) -> u64 {
        match self {
            Made::Leb(bytes) => bytes.len() as u64,
            Made::Size(size) => *size,
        }
    }
}

/// The pattern of padding, a dword.
pub(crate) type Fill = u32;

/// The error of sections larger than 256 megabytes in total.
pub(crate) struct TooLarge;

impl Section {
    fn new(key: Key, kind: u32, flags: u64, entry_size: u64) -> Self {
        Section {
            key,
            kind,
            flags,
            entry_size,
            align: 1,
            fragments: vec![Fragment::default()],
            empty: 0,
        }
    }

    /// Whether the section has a size, but no bytes in the file.
    pub(crate) fn has_no_bytes(&self) -> bool {
        self.kind == elf::SHT_NOBITS
    }

    /// Returns the name of the section's group, if a linker keeps only the first group of that name.
    pub(crate) fn group(&self) -> Option<&Rc<str>> {
        let group = self.key.group.as_ref();
        group.filter(|group| group.comdat).map(|group| &group.name)
    }

    /// Whether the section contains instructions.
    pub(crate) fn is_code(&self) -> bool {
        self.flags & elf::SHF_EXECINSTR != 0
    }

    /// Whether the offset of the section's end is known already.
    pub(crate) fn has_known_size(&self) -> bool {
        self.fragments.len() == 1
    }

    /// Returns the bytes before the first item of unknown size.
    pub(crate) fn known_bytes(&self) -> &[u8] {
        self.fragments.first().map_or(&[], |first| &first.bytes)
    }

    fn last(&self) -> &Fragment {
        // There is always at least one fragment.
        &self.fragments[self.fragments.len() - 1]
    }

    fn last_mut(&mut self) -> &mut Fragment {
        let last = self.fragments.len() - 1;
        &mut self.fragments[last]
    }

    fn offset(&self) -> u64 {
        if self.has_no_bytes() {
            self.empty
        } else {
            self.last().bytes.len() as u64
        }
    }
}

/// All sections, and the current one.
#[derive(Debug)]
pub(crate) struct Sections {
    all: Vec<Section>,
    by_key: HashMap<Key, SectionId>,
    pub current: SectionId,
    pub previous: SectionId,
    /// Pairs of current and previous section that `.pushsection` has saved.
    pub stack: Vec<(SectionId, SectionId)>,
    size: u64,
}

impl Sections {
    /// Starts with the section `.text` alone.
    pub(crate) fn new() -> Self {
        let key = Key {
            name: ".text".into(),
            group: None,
            unique: None,
            subsection: 0,
        };
        let flags = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
        let mut text = Section::new(key.clone(), elf::SHT_PROGBITS, flags, 0);
        text.align = 4;
        Sections {
            all: vec![text],
            by_key: HashMap::from([(key, SectionId(0))]),
            current: SectionId(0),
            previous: SectionId(0),
            stack: Vec::new(),
            size: 0,
        }
    }

    /// Returns the section of a key, and whether it was created now, with the given type, flags and entry size.
    pub(crate) fn get(
        &mut self,
        key: &Key,
        kind: u32,
        flags: u64,
        entry_size: u64,
    ) -> (SectionId, bool) {
        if let Some(id) = self.by_key.get(key) {
            return (*id, false);
        }
        let id = SectionId(self.all.len() as u32);
        self.all
            .push(Section::new(key.clone(), kind, flags, entry_size));
        self.by_key.insert(key.clone(), id);
        (id, true)
    }

    /// Makes another section the current one.
    pub(crate) fn switch(&mut self, to: SectionId) {
        self.previous = self.current;
        self.current = to;
    }

    /// Returns a section by its index.
    pub(crate) fn section(&self, id: SectionId) -> &Section {
        &self.all[id.0 as usize]
    }

    /// Returns the current section.
    pub(crate) fn here(&self) -> &Section {
        self.section(self.current)
    }

    fn here_mut(&mut self) -> &mut Section {
        &mut self.all[self.current.0 as usize]
    }

    /// Returns the location of the next byte.
    #[inline]
    pub(crate) fn location(&self) -> Location {
        let section = self.here();
        Location {
            section: self.current,
            fragment: section.fragments.len() as u32 - 1,
            offset: section.offset(),
        }
    }

    /// Appends bytes. In a section without bytes, only their number counts.
    ///
    /// # Errors
    /// [`TooLarge`] at the limit of size.
    #[inline]
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        self.reserve(bytes.len() as u64)?;
        let section = self.here_mut();
        if section.has_no_bytes() {
            section.empty += bytes.len() as u64;
        } else {
            section.last_mut().bytes.extend_from_slice(bytes);
        }
        Ok(())
    }

    /// Appends `count` bytes of a fill.
    ///
    /// # Errors
    /// [`TooLarge`] at the limit of size.
    pub(crate) fn append_padding(&mut self, count: u64, fill: Fill) -> Result<(), TooLarge> {
        if fill == 0 || self.here().has_no_bytes() {
            return self.append_same(count, 0);
        }
        self.reserve(count)?;
        self.here_mut()
            .last_mut()
            .bytes
            .extend(padding(count, fill));
        Ok(())
    }

    /// Appends `count` copies of some bytes.
    ///
    /// # Errors
    /// [`TooLarge`] at the limit of size.
    pub(crate) fn append_copies(&mut self, count: u64, bytes: &[u8]) -> Result<(), TooLarge> {
        let size = count.checked_mul(bytes.len() as u64).ok_or(TooLarge)?;
        if self.here().has_no_bytes() {
            return self.append_same(size, 0);
        }
        self.reserve(size)?;
        let space = &mut self.here_mut().last_mut().bytes;
        (0..if bytes.is_empty() { 0 } else { count }).for_each(|_| space.extend_from_slice(bytes));
        Ok(())
    }

    /// Appends a byte `count` times.
    ///
    /// # Errors
    /// [`TooLarge`] at the limit of size.
    pub(crate) fn append_same(&mut self, count: u64, byte: u8) -> Result<(), TooLarge> {
        let section = self.here_mut();
        if section.has_no_bytes() {
            section.empty = section.empty.checked_add(count).ok_or(TooLarge)?;
            return Ok(());
        }
        self.reserve(count)?;
        let bytes = &mut self.here_mut().last_mut().bytes;
        bytes.resize(bytes.len() + count as usize, byte);
        Ok(())
    }

    fn reserve(&mut self, count: u64) -> Result<(), TooLarge> {
        let size = self.size.checked_add(count);
        self.size = size.filter(|size| *size <= LARGEST).ok_or(TooLarge)?;
        Ok(())
    }

    /// Appends an item whose size is computed later.
    pub(crate) fn append_tail(&mut self, tail: Tail) {
        let section = self.here_mut();
        section.last_mut().tail = Some(tail);
        section.fragments.push(Fragment::default());
    }

    /// Raises the alignment of the current section to at least `align`.
    pub(crate) fn align_at_least(&mut self, align: u64) {
        let section = self.here_mut();
        section.align = section.align.max(align);
    }

    /// Raises the alignment of another section to at least `align`.
    pub(crate) fn align_section_at_least(&mut self, id: SectionId, align: u64) {
        if let Some(section) = self.all.get_mut(id.0 as usize) {
            section.align = section.align.max(align);
        }
    }

    /// Returns `count` bytes at a location.
    pub(crate) fn bytes_at(&mut self, location: Location, count: usize) -> Option<&mut [u8]> {
        let section = self.all.get_mut(location.section.0 as usize)?;
        let fragment = section.fragments.get_mut(location.fragment as usize)?;
        let start = location.offset as usize;
        fragment.bytes.get_mut(start..start + count)
    }

    /// Returns all sections in the order in which they were first named.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Section> {
        self.all.iter()
    }

    /// Returns the number of sections.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
}

/// The offsets of the sections' parts, and the sizes of their tails.
#[derive(Debug)]
pub(crate) struct Layout {
    starts: Vec<Vec<u64>>,
    tails: Vec<Vec<Made>>,
    /// For each section, the section that contains it, and its offset there. Only subsections are contained in another one.
    homes: Vec<(SectionId, u64)>,
    /// The parts of each section in their order, the section itself first.
    parts: Vec<Vec<SectionId>>,
}

impl Layout {
    /// Lays out the sections. `value` evaluates an expression for a layout that may change again.
    pub(crate) fn of(sections: &Sections, value: impl Fn(&Expr, &Layout) -> i64) -> Layout {
        let mut layout = Layout {
            starts: Vec::new(),
            tails: Vec::new(),
            homes: Vec::new(),
            parts: parts(sections),
        };
        for (n, section) in sections.iter().enumerate() {
            layout.homes.push((SectionId(n as u32), 0));
            layout
                .tails
                .push(vec![Made::Size(0); section.fragments.len()]);
            layout.starts.push(vec![0; section.fragments.len()]);
        }
        layout.place(sections);
        // The encoding of a number only grows, so this loop ends. The number of copies could depend on itself for ever, so it
        // stays fixed after some rounds, and its fixup reports the error.
        let mut round = 0;
        while layout.grow(sections, &value, round < ROUNDS) {
            layout.place(sections);
            round += 1;
        }
        layout
    }

    /// Whether the sections, one after the other in a file, exceed the limit of size.
    pub(crate) fn is_too_large(&self, sections: &Sections) -> bool {
        let mut end = 64u64; // the header of a file
        for (n, parts) in self.parts.iter().enumerate() {
            let Some(last) = parts.last().filter(|_| !sections.all[n].has_no_bytes()) else {
                continue;
            };
            let size = self.homes[last.0 as usize].1;
            let size = size.saturating_add(self.size(sections, *last));
            end = up_to(end, self.align(sections, SectionId(n as u32)));
            end = end.saturating_add(size);
        }
        end > LARGEST
    }

    /// Returns the number of copies at the end of a location's part.
    pub(crate) fn copies(&self, sections: &Sections, location: Location) -> Option<u64> {
        let fragment = &sections.section(location.section).fragments[location.fragment as usize];
        let made = &self.tails[location.section.0 as usize][location.fragment as usize];
        match &fragment.tail {
            Some(Tail::Copies { bytes, .. }) => made.size().checked_div(bytes.len() as u64),
            _ => None,
        }
    }

    /// Places each part after the previous one.
    fn place(&mut self, sections: &Sections) {
        for (n, section) in sections.iter().enumerate() {
            let mut at = 0;
            for (m, fragment) in section.fragments.iter().enumerate() {
                self.starts[n][m] = at;
                at = at.saturating_add(fragment.bytes.len() as u64);
                if let Some(Tail::Align { align, most, .. }) = &fragment.tail {
                    let gap = up_to(at, *align) - at;
                    self.tails[n][m] = Made::Size(if gap > *most { 0 } else { gap });
                }
                at = at.saturating_add(self.tails[n][m].size());
            }
        }
        for (home, parts) in self.parts.iter().enumerate() {
            let mut at = 0u64;
            for part in parts {
                at = up_to(at, sections.section(*part).align);
                self.homes[part.0 as usize] = (SectionId(home as u32), at);
                at = at.saturating_add(self.size(sections, *part));
            }
        }
    }

    /// Recomputes the tails; returns whether one has changed. Counts of copies are recomputed only if `counts` is set.
    fn grow(
        &mut self,
        sections: &Sections,
        value: &impl Fn(&Expr, &Layout) -> i64,
        counts: bool,
    ) -> bool {
        let mut changed = false;
        for (n, section) in sections.iter().enumerate() {
            for (m, fragment) in section.fragments.iter().enumerate() {
                let made = match &fragment.tail {
                    Some(Tail::Leb { expr, signed }) => {
                        let least = self.tails[n][m].size() as usize;
                        Made::Leb(leb(value(expr, self), *signed, least))
                    }
                    Some(Tail::Copies { count, bytes }) if counts => {
                        let count = value(count, self).max(0) as u64;
                        // A larger count exceeds the limit in any case.
                        Made::Size(count.min(LARGEST) * bytes.len() as u64)
                    }
                    _ => continue,
                };
                changed |= made != self.tails[n][m];
                self.tails[n][m] = made;
            }
        }
        changed
    }

    /// Returns the offset of a location's part in its section.
    pub(crate) fn start(&self, location: Location) -> u64 {
        let section = location.section.0 as usize;
        self.homes[section].1 + self.starts[section][location.fragment as usize]
    }

    /// Returns a location's offset in its section.
    pub(crate) fn offset(&self, location: Location) -> u64 {
        self.start(location) + location.offset
    }

    /// Returns the section of a location; for a subsection, the section that contains it.
    pub(crate) fn home(&self, location: Location) -> SectionId {
        self.home_of(location.section)
    }

    /// Returns the section that contains `id`, which is itself unless it is a subsection.
    pub(crate) fn home_of(&self, id: SectionId) -> SectionId {
        self.homes[id.0 as usize].0
    }

    /// Returns the size of a section or subsection alone.
    fn size(&self, sections: &Sections, id: SectionId) -> u64 {
        let section = sections.section(id);
        let n = id.0 as usize;
        match (section.has_no_bytes(), self.starts[n].last()) {
            (false, Some(last)) => last.saturating_add(section.last().bytes.len() as u64),
            _ => section.empty,
        }
    }

    /// Returns the alignment of a section with its subsections.
    pub(crate) fn align(&self, sections: &Sections, id: SectionId) -> u64 {
        let parts = self.parts[id.0 as usize].iter();
        parts
            .map(|part| sections.section(*part).align)
            .max()
            .unwrap_or(1)
    }

    /// Returns the bytes of a section with its subsections, and its size.
    pub(crate) fn bytes(&self, sections: &Sections, id: SectionId) -> (Vec<u8>, u64) {
        let mut bytes = Vec::new();
        let mut size = 0;
        for part in &self.parts[id.0 as usize] {
            let section = sections.section(*part);
            let start = self.homes[part.0 as usize].1;
            size = start + self.size(sections, *part);
            if section.has_no_bytes() {
                continue;
            }
            let gap = start - bytes.len() as u64;
            let fill = if section.is_code() { NOP } else { 0 };
            bytes.extend(padding(gap, fill));
            for (fragment, made) in section.fragments.iter().zip(&self.tails[part.0 as usize]) {
                bytes.extend_from_slice(&fragment.bytes);
                fragment.end(made, &mut bytes);
            }
        }
        (bytes, size)
    }
}

/// Returns the subsections of each section in the order of their numbers; a subsection itself has none.
fn parts(sections: &Sections) -> Vec<Vec<SectionId>> {
    let mut parts: Vec<Vec<SectionId>> = vec![Vec::new(); sections.len()];
    let mut first_of = HashMap::new();
    for (n, section) in sections.iter().enumerate() {
        let whole = Key {
            subsection: 0,
            ..section.key.clone()
        };
        let first = *first_of.entry(whole).or_insert(n);
        parts[first].push(SectionId(n as u32));
    }
    for parts in &mut parts {
        parts.sort_by_key(|part| sections.section(*part).key.subsection);
    }
    parts
}

/// Rounds up to a multiple of an alignment, saturating at the largest number.
fn up_to(at: u64, align: u64) -> u64 {
    at.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}

/// Returns `count` bytes of padding: zeros, then whole dwords of the fill.
fn padding(count: u64, fill: Fill) -> Vec<u8> {
    let fill = fill.to_le_bytes();
    let mut bytes = vec![0; (count % 4) as usize];
    if fill == [fill[0]; 4] {
        bytes.fill(fill[0]);
    }
    for _ in 0..count / 4 {
        bytes.extend_from_slice(&fill);
    }
    bytes
}

/// Encodes a number as LEB128, in groups of seven bits, with at least `least` bytes.
pub(crate) fn leb(value: i64, signed: bool, least: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = value;
    loop {
        let low = (rest & 0x7f) as u8;
        rest = if signed {
            rest >> 7
        } else {
            ((rest as u64) >> 7) as i64
        };
        let negative = signed && low & 0x40 != 0;
        let done = rest == if negative { -1 } else { 0 };
        let more = !done || bytes.len() + 1 < least;
        bytes.push(low | if more { 0x80 } else { 0 });
        if !more {
            return bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_dwarf() {
        // The examples of DWARF 5, figures 22 and 23.
        for (value, bytes) in [
            (2, vec![2]),
            (127, vec![127]),
            (128, vec![0x80, 1]),
            (12857, vec![0xb9, 0x64]),
        ] {
            assert_eq!(leb(value, false, 0), bytes);
        }
        for (value, bytes) in [
            (2, vec![2]),
            (-2, vec![0x7e]),
            (127, vec![0xff, 0]),
            (-128, vec![0x80, 0x7f]),
            (-129, vec![0xff, 0x7e]),
        ] {
            assert_eq!(leb(value, true, 0), bytes);
        }
        assert_eq!(leb(2, false, 3), [0x82, 0x80, 0]);
    }
}
