//! Relocatable files, which no linker has laid out: their sections that take memory are put one behind the other.

use object::LittleEndian;
use object::elf::{self, FileHeader64, SectionHeader64};
use object::read::elf::{SectionHeader, SectionTable};

use super::{Elf, LE, Segment, damaged};
use crate::bytes::slice;
use crate::error::Result;

/// What sections are aligned to at least: kernels begin so.
const SECTION_ALIGN: u64 = 256;

impl Elf<'_> {
    pub(super) fn sections_as_segments(&self) -> Result<Vec<Segment>> {
        let sections = self.sections.iter().zip(&self.places);
        let taken = sections.filter(|(section, _)| takes_memory(section));
        let segments = taken.map(|(section, address)| {
            let flags = section.sh_flags(LE).0;
            let (file_offset, file_size) = section.file_range(LE).unwrap_or_default();
            slice(self.bytes, file_offset, file_size, "a section")?;
            Ok(Segment {
                address: *address,
                file_offset,
                file_size,
                memory_size: section.sh_size(LE),
                align: SECTION_ALIGN.max(section.sh_addralign(LE)),
                readable: true,
                writable: flags & elf::SHF_WRITE.0 != 0,
                executable: flags & elf::SHF_EXECINSTR.0 != 0,
            })
        });
        segments.collect()
    }
}

/// Whether a section is there when the program runs.
pub(super) fn takes_memory(section: &SectionHeader64<LittleEndian>) -> bool {
    section.sh_flags(LE).0 & elf::SHF_ALLOC.0 != 0
}

/// Puts the sections of a relocatable file that take memory one behind the other.
pub(super) fn places(sections: &SectionTable<FileHeader64<LittleEndian>>) -> Result<Vec<u64>> {
    let mut next = 0u64;
    let mut place = |section: &SectionHeader64<LittleEndian>| {
        if !takes_memory(section) {
            return Some(0);
        }
        let align = section.sh_addralign(LE).max(1);
        let align = Some(align.max(SECTION_ALIGN)).filter(|n| n.is_power_of_two());
        let place = next.checked_next_multiple_of(align?)?;
        next = place.checked_add(section.sh_size(LE))?;
        Some(place)
    };
    let places: Option<Vec<u64>> = sections.iter().map(&mut place).collect();
    places.ok_or_else(|| damaged("its sections have sizes or alignments that no memory has"))
}
