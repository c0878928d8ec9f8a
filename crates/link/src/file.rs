//! The records of an ELF file and its string tables, which relocatable and linked files are written with.

use std::collections::HashMap;

use object::elf::{self, FileHeader64, ProgramHeader64, Rela64, SectionHeader64, Sym64};
use object::pod::bytes_of;
use object::{I64, LittleEndian, U16, U32, U64};

use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::relocatable::Symbol;

const LE: LittleEndian = LittleEndian;

/// Sizes of the records in bytes.
pub(crate) const FILE_HEADER_SIZE: u64 = size_of::<FileHeader64<LittleEndian>>() as u64;
pub(crate) const PROGRAM_HEADER_SIZE: u64 = size_of::<ProgramHeader64<LittleEndian>>() as u64;
pub(crate) const SECTION_HEADER_SIZE: u64 = size_of::<SectionHeader64<LittleEndian>>() as u64;
pub(crate) const SYMBOL_SIZE: u64 = size_of::<Sym64<LittleEndian>>() as u64;
pub(crate) const RELA_SIZE: u64 = size_of::<Rela64<LittleEndian>>() as u64;

/// A string table that is being built.
pub(crate) struct Strings {
    bytes: Vec<u8>,
    known: HashMap<String, u32>,
}

impl Strings {
    /// Starts a table with the empty name.
    pub(crate) fn new() -> Strings {
        Strings {
            bytes: vec![0],
            known: HashMap::from([(String::new(), 0)]),
        }
    }

    /// Returns the offset of a name, which is written only once.
    pub(crate) fn add(&mut self, name: &str) -> Result<u32> {
        if let Some(at) = self.known.get(name) {
            return Ok(*at);
        }
        let at = self.append(name)?;
        self.known.insert(name.to_owned(), at);
        Ok(at)
    }

    /// Appends a name without a look-up, and returns its offset: names of symbols are rarely repeated.
    pub(crate) fn append(&mut self, name: &str) -> Result<u32> {
        if name.is_empty() {
            return Ok(0);
        }
        let at = u32::try_from(self.bytes.len()).map_err(|_| Error::TooLarge("names".into()))?;
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        Ok(at)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The header of a section. Its name is an offset in [`Strings`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SectionHeader {
    pub name: u32,
    pub kind: u32,
    pub flags: u64,
    pub address: u64,
    pub offset: u64,
    pub size: u64,
    pub link: u32,
    pub info: u32,
    pub align: u64,
    pub entry_size: u64,
}

impl SectionHeader {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(bytes_of(&SectionHeader64 {
            sh_name: U32::new(LE, self.name),
            sh_type: U32::new(LE, elf::SectionType(self.kind)),
            sh_flags: U64::new(LE, elf::SectionFlags(self.flags)),
            sh_addr: U64::new(LE, self.address),
            sh_offset: U64::new(LE, self.offset),
            sh_size: U64::new(LE, self.size),
            sh_link: U32::new(LE, self.link),
            sh_info: U32::new(LE, self.info),
            sh_addralign: U64::new(LE, self.align),
            sh_entsize: U64::new(LE, self.entry_size),
        }));
    }
}

/// The header of a segment: type, flags, place and size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProgramHeader {
    pub kind: elf::ProgramType,
    pub flags: elf::ProgramFlags,
    pub offset: u64,
    pub address: u64,
    pub file_size: u64,
    pub memory_size: u64,
    pub align: u64,
}

impl ProgramHeader {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(bytes_of(&ProgramHeader64 {
            p_type: U32::new(LE, self.kind),
            p_flags: U32::new(LE, self.flags),
            p_offset: U64::new(LE, self.offset),
            p_vaddr: U64::new(LE, self.address),
            p_paddr: U64::new(LE, self.address),
            p_filesz: U64::new(LE, self.file_size),
            p_memsz: U64::new(LE, self.memory_size),
            p_align: U64::new(LE, self.align),
        }));
    }
}

/// The places of a file's tables.
pub(crate) struct Tables {
    /// The file type, `ET_*`.
    pub kind: elf::FileType,
    /// Number of program headers, which follow the file header.
    pub programs: u16,
    /// Offset of the section headers.
    pub sections_at: u64,
    /// Number of section headers.
    pub sections: u32,
    /// Index of the section that holds the section names.
    pub names: u32,
}

/// Converts a section number to 16 bits. Larger ones become `else_`, and are stored in the first section header ("Sections",
/// `sh_size` and `sh_link` of index 0).
fn short(number: u32, else_: u16) -> u16 {
    match u16::try_from(number) {
        Ok(number) if number < elf::SHN_LORESERVE => number,
        _ => else_,
    }
}

/// Returns the header of a file.
pub(crate) fn file_header(identity: &Identity, tables: &Tables) -> Vec<u8> {
    let size = |size: u64| U16::new(LE, size as u16);
    let programs_at = match tables.programs {
        0 => 0,
        _ => FILE_HEADER_SIZE,
    };
    bytes_of(&FileHeader64 {
        e_ident: elf::Ident {
            magic: elf::ELFMAG,
            class: elf::ELFCLASS64,
            data: elf::ELFDATA2LSB,
            version: elf::EV_CURRENT,
            os_abi: elf::OsAbi(identity.os_abi),
            abi_version: identity.abi_version,
            padding: [0; 7],
        },
        e_type: U16::new(LE, tables.kind),
        e_machine: U16::new(LE, elf::EM_AMDGPU),
        e_version: U32::new(LE, 1),
        e_entry: U64::new(LE, 0),
        e_phoff: U64::new(LE, programs_at),
        e_shoff: U64::new(LE, tables.sections_at),
        e_flags: U32::new(LE, elf::FileFlags(identity.flags)),
        e_ehsize: size(FILE_HEADER_SIZE),
        e_phentsize: size(match tables.programs {
            0 => 0,
            _ => PROGRAM_HEADER_SIZE,
        }),
        e_phnum: U16::new(LE, tables.programs),
        e_shentsize: size(SECTION_HEADER_SIZE),
        e_shnum: U16::new(LE, short(tables.sections, 0)),
        e_shstrndx: U16::new(
            LE,
            elf::SymbolSection(short(tables.names, elf::SHN_XINDEX.0)),
        ),
    })
    .to_vec()
}

/// Returns the first section header, which describes no section.
pub(crate) fn null_section(tables: &Tables) -> SectionHeader {
    let fits = |number: u32| number < elf::SHN_LORESERVE.into();
    SectionHeader {
        size: if fits(tables.sections) {
            0
        } else {
            tables.sections.into()
        },
        link: if fits(tables.names) { 0 } else { tables.names },
        ..SectionHeader::default()
    }
}

/// A symbol of a symbol table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SymbolRecord<'a> {
    pub name: &'a str,
    pub value: u64,
    pub size: u64,
    pub kind: u8,
    pub binding: u8,
    pub visibility: u8,
    pub section: SectionNumber,
}

impl<'a> SymbolRecord<'a> {
    /// Makes the record of an object file's symbol, with the number of its section.
    pub(crate) fn of(symbol: &'a Symbol, section: SectionNumber) -> SymbolRecord<'a> {
        SymbolRecord {
            name: &symbol.name,
            value: symbol.value,
            size: symbol.size,
            kind: symbol.kind,
            binding: symbol.binding,
            visibility: symbol.visibility,
            section,
        }
    }

    /// Appends the record; `name` is the offset of its name.
    pub(crate) fn write(&self, out: &mut Vec<u8>, name: u32) {
        let binding = elf::SymbolBind(self.binding);
        out.extend_from_slice(bytes_of(&Sym64 {
            st_name: U32::new(LE, name),
            st_info: elf::SymbolInfo::new(binding, elf::SymbolType(self.kind)),
            st_other: elf::SymbolOther(self.visibility),
            st_shndx: U16::new(LE, elf::SymbolSection(self.section.short())),
            st_value: U64::new(LE, self.value),
            st_size: U64::new(LE, self.size),
        }));
    }
}

/// The section number of a symbol, as the symbol table stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionNumber {
    /// A reserved number, `SHN_*`.
    Reserved(u16),
    /// The index of a section.
    Index(u32),
}

impl SectionNumber {
    pub(crate) const UNDEFINED: SectionNumber = SectionNumber::Reserved(elf::SHN_UNDEF.0);
    pub(crate) const ABSOLUTE: SectionNumber = SectionNumber::Reserved(elf::SHN_ABS.0);
    pub(crate) const COMMON: SectionNumber = SectionNumber::Reserved(elf::SHN_COMMON.0);

    fn short(self) -> u16 {
        match self {
            SectionNumber::Reserved(number) => number,
            SectionNumber::Index(index) => short(index, elf::SHN_XINDEX.0),
        }
    }

    /// Returns the entry in the table of large numbers (`SHT_SYMTAB_SHNDX`); 0 if the number fits into the symbol.
    pub(crate) fn large(self) -> u32 {
        match self {
            SectionNumber::Index(index) if index >= elf::SHN_LORESERVE.into() => index,
            _ => 0,
        }
    }
}

/// Appends the record of a relocation.
pub(crate) fn rela(out: &mut Vec<u8>, offset: u64, symbol: u32, kind: u32, addend: i64) {
    out.extend_from_slice(bytes_of(&Rela64 {
        r_offset: U64::new(LE, offset),
        r_info: Rela64::r_info(LE, false, symbol, elf::RelocationType(kind)),
        r_addend: I64::new(LE, addend),
    }));
}

/// Appends zeros up to an alignment, which is a power of two, or 0 for none.
pub(crate) fn align(out: &mut Vec<u8>, align: u64) {
    let size = out.len().next_multiple_of(align.max(1) as usize);
    out.resize(size, 0);
}

/// Returns the next multiple of an alignment, which is a power of two or 0 for none; saturates at the largest number.
pub(crate) fn align_up(at: u64, align: u64) -> u64 {
    at.checked_next_multiple_of(align.max(1))
        .unwrap_or(u64::MAX)
}
