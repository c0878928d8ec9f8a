//! Random object files.

use std::collections::HashSet;

use proptest::prelude::*;
use wavetank_link::{Identity, Place, Relocatable, Relocation, Section, Symbol, elf, reloc};

/// What random objects are like: any numbers and names, or such as an assembler writes.
#[derive(Clone, Copy, PartialEq)]
enum Like {
    Nothing,
    AnAssembler,
}

impl Like {
    fn number(self) -> BoxedStrategy<u64> {
        match self {
            Like::Nothing => any::<u64>().boxed(),
            Like::AnAssembler => (0u64..32).boxed(),
        }
    }

    fn symbol_name(self) -> BoxedStrategy<String> {
        match self {
            Like::Nothing => "[a-zA-Z_.][a-zA-Z0-9_.$@]{0,12}".boxed(),
            Like::AnAssembler => "[a-e]".boxed(),
        }
    }

    /// A section's name, type, flags and size of entries.
    fn section_kind(self) -> BoxedStrategy<(String, u32, u64, u64)> {
        let flags = 0u64..0x40;
        if self == Like::Nothing {
            let kinds =
                prop::sample::select(vec![elf::SHT_NOBITS, elf::SHT_PROGBITS, elf::SHT_NOTE]);
            return ("[a-zA-Z_.][a-zA-Z0-9_.$@]{0,12}", kinds, flags, 0u64..4).boxed();
        }
        let (a, w) = (elf::SHF_ALLOC, elf::SHF_ALLOC | elf::SHF_WRITE);
        let strings = a | elf::SHF_MERGE | elf::SHF_STRINGS;
        let rows = [
            (".text", elf::SHT_PROGBITS, a | elf::SHF_EXECINSTR, 0),
            (".text.f", elf::SHT_PROGBITS, a | elf::SHF_EXECINSTR, 0),
            (".rodata", elf::SHT_PROGBITS, a, 0),
            (".rodata.str1.1", elf::SHT_PROGBITS, strings, 1),
            (".rodata.cst4", elf::SHT_PROGBITS, a | elf::SHF_MERGE, 4),
            (".data", elf::SHT_PROGBITS, w, 0),
            (".data.rel.ro", elf::SHT_PROGBITS, w, 0),
            (".init_array.5", elf::SHT_INIT_ARRAY, w, 8),
            (".bss", elf::SHT_NOBITS, w, 0),
            (".debug_ranges", elf::SHT_PROGBITS, 0, 0),
            ("vars", elf::SHT_PROGBITS, w, 0),
        ];
        let rows = rows.map(|(name, kind, flags, entry)| (name.to_owned(), kind, flags, entry));
        prop::sample::select(rows.to_vec()).boxed()
    }
}

prop_compose! {
    fn symbol(like: Like, sections: usize)(
        (name, value, size) in (like.symbol_name(), like.number(), like.number()),
        (kind, binding, visibility) in (0u8..11, 0u8..3, 0u8..4),
        place in 0..sections + 3,
    ) -> Symbol {
        let place = match place {
            0 => Place::Undefined,
            1 => Place::Absolute,
            2 => Place::Common,
            n => Place::Section(n - 3),
        };
        Symbol { name, value, size, kind, binding, visibility, place }
    }
}

prop_compose! {
    fn relocation(like: Like, symbols: usize)(
        offset in like.number(), kind in 0u32..15, symbol in 0..symbols, addend in like.number(),
    ) -> Relocation {
        Relocation { offset, kind, symbol, addend: addend as i64 }
    }
}

prop_compose! {
    fn section(like: Like, symbols: usize)(
        (name, kind, flags, entry_size) in like.section_kind(),
        bytes in prop::collection::vec(any::<u8>(), 0..64),
        align in 0u32..12,
        group in prop::option::of(0..symbols),
        relocations in prop::collection::vec(relocation(like, symbols), 0..4),
    ) -> Section {
        let size = bytes.len() as u64;
        let bytes = if kind == elf::SHT_NOBITS { Vec::new() } else { bytes };
        Section { name, kind, flags, entry_size, align: 1 << align, bytes, size, group, relocations }
    }
}

fn objects_like(like: Like) -> impl Strategy<Value = Relocatable> {
    let counts = (1usize..6, 1usize..12);
    let parts = counts.prop_flat_map(move |(sections, symbols)| {
        (
            prop::collection::vec(section(like, symbols), sections),
            prop::collection::vec(symbol(like, sections), symbols),
        )
    });
    parts.prop_map(|(sections, symbols)| Relocatable {
        identity: Identity {
            os_abi: 64,
            abi_version: 2,
            flags: 0x12c,
        },
        sections,
        symbols,
    })
}

/// Files of any numbers and names.
pub(crate) fn objects() -> impl Strategy<Value = Relocatable> {
    objects_like(Like::Nothing)
}

/// Files such as an assembler writes, which have the same names often.
pub(crate) fn small_objects() -> impl Strategy<Value = Relocatable> {
    objects_like(Like::AnAssembler)
}

/// Files that can be linked mostly: what they name is somewhere, and each relocation is one that its symbol and its section
/// can have.
pub(crate) fn linkable_objects() -> impl Strategy<Value = Relocatable> {
    small_objects().prop_map(|mut object| {
        let names = 'a'..='z';
        for (symbol, name) in object.symbols.iter_mut().zip(names) {
            symbol.name = match symbol.binding {
                elf::STB_LOCAL => format!("local_{name}"),
                _ => name.to_string(),
            };
            symbol.kind %= elf::STT_SECTION;
            match (symbol.place, symbol.binding) {
                (Place::Undefined, _) => symbol.binding = elf::STB_WEAK,
                (Place::Common, _) => {
                    symbol.binding = elf::STB_GLOBAL;
                    symbol.value = symbol.value.next_power_of_two();
                }
                _ => {}
            }
        }
        for symbol in &mut object.symbols {
            // A symbol in a section whose entries are merged is one of an entry.
            if let Place::Section(section) = symbol.place {
                let section = &object.sections[section];
                if section.flags & elf::SHF_MERGE != 0 {
                    symbol.value %= (section.size / 4 * 4).max(1);
                }
            }
        }
        let symbols = &object.symbols;
        for (n, section) in object.sections.iter_mut().enumerate() {
            // Groups of the same name define the same symbols, which random ones do not.
            let defines = |s: &Symbol| s.place == Place::Section(n) && s.binding != elf::STB_LOCAL;
            if symbols.iter().any(defines) {
                section.group = None;
            }
            let writable = section.flags & elf::SHF_WRITE != 0;
            let last = section.bytes.len().saturating_sub(8) as u64;
            section
                .relocations
                .retain(|_| last > 0 && section.flags & elf::SHF_MERGE == 0);
            for relocation in &mut section.relocations {
                let symbol = &symbols[relocation.symbol];
                relocation.offset %= last;
                let distant =
                    symbol.visibility != elf::STV_DEFAULT || symbol.binding == elf::STB_LOCAL;
                let number = symbol.place == Place::Absolute;
                relocation.kind = match (section.flags & elf::SHF_ALLOC, relocation.kind % 4) {
                    (0, kind) => [reloc::ABS32, reloc::ABS64][kind as usize % 2],
                    (_, 0) if writable => reloc::ABS64,
                    (_, 1) if distant && !number => reloc::REL32_LO,
                    (_, 2) if distant && !number => reloc::REL64,
                    _ => reloc::GOTPCREL32_LO,
                };
            }
            // The order of two at the same place is not specified.
            let mut places = HashSet::new();
            section
                .relocations
                .retain(|relocation| places.insert(relocation.offset));
            // A string has an end, and entries are whole.
            if section.flags & elf::SHF_MERGE != 0 {
                section.bytes.truncate(section.bytes.len() / 4 * 4);
                if let Some(last) = section.bytes.last_mut() {
                    *last = 0;
                }
                section.size = section.bytes.len() as u64;
            }
        }
        object
    })
}
