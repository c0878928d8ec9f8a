//! Relocatable files, which no linker has laid out: their allocated sections are laid out one after the other.

use object::LittleEndian;
use object::elf::{self, FileHeader64, SectionHeader64};
use object::read::elf::{SectionHeader, SectionTable};

/// What sections of code are aligned to at least: kernels begin so. Mesa puts constants right after the code ("Gallium ABI
/// description"), whose end they are reached from.
const CODE_ALIGN: u64 = 256;

/// Whether a section is there when the program runs.
pub(super) fn takes_memory(section: &SectionHeader64<LittleEndian>) -> bool {
    section.sh_flags(LittleEndian).0 & elf::SHF_ALLOC.0 != 0
}

/// Puts the sections of a relocatable file that take memory one after the other. `None` if they have sizes or alignments
/// that no memory has.
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

/// What a section is aligned to.
pub(super) fn align(section: &SectionHeader64<LittleEndian>) -> u64 {
    let code = section.sh_flags(LittleEndian).0 & elf::SHF_EXECINSTR.0 != 0;
    let least = if code { CODE_ALIGN } else { 1 };
    least.max(section.sh_addralign(LittleEndian))
}
