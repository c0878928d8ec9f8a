//! Layout of relocatable files: their allocated sections are placed one after another.

use object::LittleEndian;
use object::elf::{self, FileHeader64, SectionHeader64};
use object::read::elf::{SectionHeader, SectionTable};

/// The minimum alignment of code sections, because kernels have it. Mesa places constants directly after the code ("Gallium ABI
/// description"), and they are addressed from the end of the code.
const CODE_ALIGN: u64 = 256;

/// Returns whether a section is in memory when the program runs.
pub(super) fn takes_memory(section: &SectionHeader64<LittleEndian>) -> bool {
    section.sh_flags(LittleEndian).0 & elf::SHF_ALLOC.0 != 0
}

/// Places the sections that take memory one after another. `None` if their sizes or alignments exceed any memory.
pub(super) fn places(sections: &SectionTable<FileHeader64<LittleEndian>>) -> Option<Vec<u64>> {
    let mut next = 0u64;
    let mut place = |section: &SectionHeader64<LittleEndian>| {
        if !takes_memory(section) {
            return Some(0);
        }
        let align = align(section);
        let place = next.checked_next_multiple_of(Some(align).filter(|n| n.is_power_of_two())?)?;
        next = place.checked_add(section.sh_size(LittleEndian))?;
        Some(place)
    };
    sections.iter().map(&mut place).collect()
}

/// Returns the alignment of a section.
pub(super) fn align(section: &SectionHeader64<LittleEndian>) -> u64 {
    let code = section.sh_flags(LittleEndian).0 & elf::SHF_EXECINSTR.0 != 0;
    let least = if code { CODE_ALIGN } else { 1 };
    least.max(section.sh_addralign(LittleEndian))
}
