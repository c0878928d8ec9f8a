//! The reader of linked code objects, from whose parts their source can be written.

use std::collections::HashMap;

use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, Rela, SectionHeader, Sym};

use crate::elf::SHT_NOBITS;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::relocatable::Place;

const LE: LittleEndian = LittleEndian;
type Header = FileHeader64<LittleEndian>;

/// A linked code object: sections at their addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// System, version and chip of the object.
    pub identity: Identity,
    /// The sections in their order, without those that a linker makes itself: tables of symbols and names, tables for a loader,
    /// the global offset table.
    pub sections: Vec<LinkedSection>,
    /// The symbols; those with a place in a section have its address as their value.
    pub symbols: Vec<crate::Symbol>,
    /// Places that a loader fills in: the address of eight bytes, and their value. `Place::Absolute` stands for the address in
    /// the addend.
    pub addresses: Vec<Address>,
}

/// A section of a linked object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedSection {
    /// The name of the section.
    pub name: String,
    /// The section type (`sh_type`, `SHT_*`).
    pub kind: u32,
    /// The section flags (`sh_flags`, `SHF_*`).
    pub flags: u64,
    /// The size of an entry, if the section is a table, else 0.
    pub entry_size: u64,
    /// The alignment of the section's address.
    pub align: u64,
    /// The address; 0 for a section that is not loaded.
    pub address: u64,
    /// The contents; empty for `SHT_NOBITS`.
    pub bytes: Vec<u8>,
    /// The size in memory, in bytes.
    pub size: u64,
}

/// Eight bytes that a loader fills in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The address that the relocation changes.
    pub at: u64,
    /// The symbol whose address is added, if there is one.
    pub symbol: Option<String>,
    /// The addend of the relocation.
    pub addend: i64,
    /// Whether the bytes are an entry of the global offset table.
    pub global_offset: bool,
}

/// The names of sections that a linker makes.
const MADE: [&str; 10] = [
    ".dynsym",
    ".dynstr",
    ".hash",
    ".gnu.hash",
    ".dynamic",
    ".got",
    ".got.plt",
    ".relro_padding",
    ".rela.dyn",
    ".symtab",
];

fn damaged(problem: impl std::fmt::Display) -> Error {
    Error::Damaged(problem.to_string())
}

impl Linked {
    /// Reads an ELF file of type `ET_DYN` for AMD GPUs.
    ///
    /// # Errors
    /// [`Error::NotLinked`], [`Error::Damaged`]. The bytes are untrusted.
    pub fn read(bytes: &[u8]) -> Result<Linked> {
        let header = Header::parse(bytes).map_err(|_| Error::NotLinked)?;
        let fits = header.e_type(LE) == elf::ET_DYN
            && header.e_machine(LE) == elf::EM_AMDGPU
            && header.is_little_endian();
        if !fits {
            return Err(Error::NotLinked);
        }
        let table = header.sections(LE, bytes).map_err(damaged)?;
        let mut linked = Linked {
            identity: Identity {
                os_abi: header.e_ident().os_abi.0,
                abi_version: header.e_ident().abi_version,
                flags: header.e_flags(LE).0,
            },
            sections: Vec::new(),
            symbols: Vec::new(),
            addresses: Vec::new(),
        };
        let (mut kept, mut got) = (HashMap::new(), 0..0);
        let mut left = bytes.len();
        for (index, section) in table.enumerate() {
            let name = table.section_name(LE, section).map_err(damaged)?;
            let name =
                std::str::from_utf8(name).map_err(|_| damaged("a name is not UTF-8 text"))?;
            if name == ".got" {
                let start = section.sh_addr(LE);
                got = start..start.saturating_add(section.sh_size(LE));
            }
            let own = [
                elf::SHT_NULL,
                elf::SHT_SYMTAB,
                elf::SHT_STRTAB,
                elf::SHT_RELA,
                elf::SHT_DYNSYM,
            ];
            if MADE.contains(&name) || own.contains(&section.sh_type(LE)) {
                continue;
            }
            let data = section.data(LE, bytes).map_err(damaged)?;
            left = left
                .checked_sub(data.len())
                .ok_or_else(|| damaged("its sections overlap"))?;
            kept.insert(index.0, linked.sections.len());
            let kind = section.sh_type(LE).0;
            linked.sections.push(LinkedSection {
                name: name.to_owned(),
                kind,
                flags: section.sh_flags(LE).0,
                entry_size: section.sh_entsize(LE),
                align: section.sh_addralign(LE).max(1),
                address: section.sh_addr(LE),
                bytes: data.to_vec(),
                size: if kind == SHT_NOBITS {
                    section.sh_size(LE)
                } else {
                    data.len() as u64
                },
            });
        }
        linked.read_symbols(&table, bytes, &kept)?;
        linked.read_addresses(&table, bytes, &got)?;
        Ok(linked)
    }

    /// Reads the symbols of the symbol table or, if it was stripped, those of the dynamic symbol table.
    fn read_symbols(
        &mut self,
        table: &object::read::elf::SectionTable<'_, Header>,
        bytes: &[u8],
        kept: &HashMap<usize, usize>,
    ) -> Result<()> {
        let mut symbols = table.symbols(LE, bytes, elf::SHT_SYMTAB).map_err(damaged)?;
        if symbols.is_empty() {
            symbols = table.symbols(LE, bytes, elf::SHT_DYNSYM).map_err(damaged)?;
        }
        let mut left = bytes.len();
        for entry in symbols.iter().skip(1) {
            let name = symbols.symbol_name(LE, entry).map_err(damaged)?;
            left = left
                .checked_sub(name.len() / 8)
                .ok_or_else(|| damaged("its names share their bytes too often"))?;
            let name =
                std::str::from_utf8(name).map_err(|_| damaged("a name is not UTF-8 text"))?;
            let place = match entry.st_shndx(LE) {
                elf::SHN_UNDEF => Place::Undefined,
                elf::SHN_ABS => Place::Absolute,
                other => match kept.get(&usize::from(other.0)) {
                    Some(at) => Place::Section(*at),
                    // Symbols in sections that the linker makes, such as `_DYNAMIC`, are made by it again.
                    None => continue,
                },
            };
            self.symbols.push(crate::Symbol {
                name: name.to_owned(),
                value: entry.st_value(LE),
                size: entry.st_size(LE),
                kind: entry.st_type().0,
                binding: entry.st_bind().0,
                visibility: entry.st_visibility().0,
                place,
            });
        }
        Ok(())
    }

    fn read_addresses(
        &mut self,
        table: &object::read::elf::SectionTable<'_, Header>,
        bytes: &[u8],
        got: &std::ops::Range<u64>,
    ) -> Result<()> {
        let symbols = table.symbols(LE, bytes, elf::SHT_DYNSYM).map_err(damaged)?;
        for section in table.iter() {
            let Some((entries, _)) = section.rela(LE, bytes).map_err(damaged)? else {
                continue;
            };
            for entry in entries {
                let symbol = match entry.symbol(LE, false) {
                    Some(index) => {
                        let symbol = symbols.symbol(index).map_err(damaged)?;
                        let name = symbols.symbol_name(LE, symbol).map_err(damaged)?;
                        Some(String::from_utf8_lossy(name).into_owned())
                    }
                    None => None,
                };
                let at = entry.r_offset(LE);
                self.addresses.push(Address {
                    at,
                    symbol,
                    addend: entry.r_addend(LE),
                    global_offset: got.contains(&at),
                });
            }
        }
        Ok(())
    }
}
