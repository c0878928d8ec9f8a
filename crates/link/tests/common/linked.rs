//! Linked files as they are compared.

use object::read::elf::{ElfFile64, SectionHeader as _};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SymbolFlags};
use wavetank_link::elf;

pub(crate) type Elf<'a> = ElfFile64<'a, LittleEndian>;
pub(crate) const LE: LittleEndian = LittleEndian;

/// A section: name, address, size, type, flags, alignment, contents.
pub(crate) type Contents = (String, u64, u64, u32, u64, u64, Vec<u8>);

pub(crate) fn sections(elf: &Elf) -> Vec<Contents> {
    let sections = elf.sections();
    // What the linker says of itself, and its tables for people.
    let left_out = [
        ".comment",
        ".shstrtab",
        ".strtab",
        ".symtab",
        ".relro_padding",
        "",
    ];
    let sections = sections.map(|section| {
        let header = section.elf_section_header();
        let name = section.name().expect("a name").to_owned();
        let mut bytes = section.data().expect("contents").to_vec();
        if name == ".dynsym" {
            // The numbers of sections, which `.relro_padding` changes; symbols are compared with the names of their sections.
            for symbol in bytes.chunks_mut(24) {
                symbol[6..8].fill(0);
            }
        }
        let kind = header.sh_type(LE).0;
        (
            name,
            section.address(),
            section.size(),
            kind,
            header.sh_flags(LE).0,
            section.align(),
            bytes,
        )
    });
    sections
        .filter(|s| !left_out.contains(&s.0.as_str()))
        .collect()
}

pub(crate) fn symbols<'a>(
    elf: &Elf,
    symbols: impl Iterator<Item = object::read::elf::ElfSymbol64<'a, 'a, LittleEndian>>,
) -> Vec<String> {
    let text = symbols.map(|symbol| {
        let SymbolFlags::Elf {
            st_info, st_other, ..
        } = symbol.flags()
        else {
            panic!("an ELF symbol");
        };
        let section = symbol.section_index();
        let section = section.map(|index| elf.section_by_index(index).expect("a section"));
        let section = section.map(|s| s.name().expect("a name").to_owned());
        format!(
            "{} {:#x} {:#x} {} {} {section:?}",
            symbol.name().expect("a name"),
            symbol.address(),
            symbol.size(),
            st_info.0,
            st_other.0
        )
    });
    text.collect()
}

/// What is in memory, and the symbols.
pub(crate) fn in_memory(file: &[u8]) -> (Vec<Contents>, Vec<String>) {
    let elf = Elf::parse(file).expect("an ELF file");
    let mut sections = sections(&elf);
    sections.retain(|section| section.4 & elf::SHF_ALLOC != 0);
    (sections, symbols(&elf, elf.symbols()))
}
