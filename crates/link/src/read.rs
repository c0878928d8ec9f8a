//! The reader of object files, also those of other assemblers.

use std::collections::HashMap;

use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, Rela, SectionHeader, SectionTable, Sym, SymbolTable};
use object::read::{SectionIndex, SymbolIndex};

use crate::elf::{SHF_EXCLUDE, SHF_GROUP, SHT_NOBITS, STB_LOCAL, STT_NOTYPE, STV_DEFAULT};
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::relocatable::{Place, Relocatable, Relocation, Section, Symbol};

const LE: LittleEndian = LittleEndian;
type Header = FileHeader64<LittleEndian>;

/// `SHT_LLVM_ADDRSIG`: the symbols whose addresses matter, by their index in the file. The linker here does not use it.
const SHT_LLVM_ADDRSIG: u32 = 0x6fff_4c03;
/// Limit of the total length of names, as a multiple of the file's length: linkers and assemblers share the tails of names.
const MAX_NAME_SHARE: usize = 16;

fn damaged(problem: impl std::fmt::Display) -> Error {
    Error::Damaged(problem.to_string())
}

impl Relocatable {
    /// Reads an ELF file of type `ET_REL` for AMD GPUs. Sections that only the file format needs are left out, and so are hints
    /// for linkers that are not used here (`SHT_LLVM_ADDRSIG`, empty `.note.GNU-stack`).
    ///
    /// # Errors
    /// [`Error::NotRelocatable`], [`Error::Damaged`]. The bytes are untrusted.
    pub fn read(bytes: &[u8]) -> Result<Relocatable> {
        let header = Header::parse(bytes).map_err(|_| Error::NotRelocatable)?;
        let fits = header.e_type(LE) == elf::ET_REL
            && header.e_machine(LE) == elf::EM_AMDGPU
            && header.is_little_endian();
        if !fits {
            return Err(Error::NotRelocatable);
        }
        let sections = header.sections(LE, bytes).map_err(damaged)?;
        let symbols = sections
            .symbols(LE, bytes, elf::SHT_SYMTAB)
            .map_err(damaged)?;
        let mut reader = Reader {
            bytes,
            sections,
            symbols,
            kept: HashMap::new(),
            names_left: bytes.len().saturating_mul(MAX_NAME_SHARE),
            bytes_left: bytes.len(),
            object: Relocatable {
                identity: Identity {
                    os_abi: header.e_ident().os_abi.0,
                    abi_version: header.e_ident().abi_version,
                    flags: header.e_flags(LE).0,
                },
                sections: Vec::new(),
                symbols: Vec::new(),
            },
        };
        reader.read_sections()?;
        reader.read_symbols()?;
        reader.read_groups()?;
        reader.read_relocations()?;
        reader.object.check()?;
        Ok(reader.object)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    sections: SectionTable<'a, Header>,
    symbols: SymbolTable<'a, Header>,
    /// The indices of the kept sections, by their index in the file.
    kept: HashMap<usize, usize>,
    names_left: usize,
    /// Bytes that may still be copied: sections that share their bytes could exceed the file.
    bytes_left: usize,
    object: Relocatable,
}

impl Reader<'_> {
    fn name(&mut self, name: &[u8]) -> Result<String> {
        self.names_left = self
            .names_left
            .checked_sub(name.len())
            .ok_or_else(|| damaged("its names share their bytes too often"))?;
        let name = std::str::from_utf8(name).map_err(|_| damaged("a name is not UTF-8 text"))?;
        Ok(name.to_owned())
    }

    fn take(&mut self, size: usize) -> Result<()> {
        self.bytes_left = self
            .bytes_left
            .checked_sub(size)
            .ok_or_else(|| damaged("its sections overlap"))?;
        Ok(())
    }

    fn read_sections(&mut self) -> Result<()> {
        let table = self.sections;
        for (index, section) in table.enumerate() {
            let name = table.section_name(LE, section).map_err(damaged)?;
            let kind = section.sh_type(LE);
            let flags = section.sh_flags(LE).0;
            if !is_kept(kind, flags) || name == b".note.GNU-stack" && section.sh_size(LE) == 0 {
                continue;
            }
            let data = section.data(LE, self.bytes).map_err(|_| {
                let name = String::from_utf8_lossy(name);
                damaged(format_args!("section {name} is not within the file"))
            })?;
            self.take(data.len())?;
            self.kept.insert(index.0, self.object.sections.len());
            let section = Section {
                name: self.name(name)?,
                kind: kind.0,
                flags: flags & !SHF_GROUP,
                entry_size: section.sh_entsize(LE),
                align: section.sh_addralign(LE),
                bytes: data.to_vec(),
                size: match kind.0 {
                    SHT_NOBITS => section.sh_size(LE),
                    _ => data.len() as u64,
                },
                group: None,
                relocations: Vec::new(),
            };
            self.object.sections.push(section);
        }
        Ok(())
    }

    fn read_symbols(&mut self) -> Result<()> {
        for index in 1..self.symbols.len() {
            let index = SymbolIndex(index);
            let entry = self.symbols.symbol(index).map_err(damaged)?;
            let name = self.symbols.symbol_name(LE, entry).map_err(damaged)?;
            let name = self.name(name)?;
            let place = self.place(index, entry, &name)?;
            self.object.symbols.push(Symbol {
                name,
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

    fn place(
        &self,
        index: SymbolIndex,
        entry: &elf::Sym64<LittleEndian>,
        name: &str,
    ) -> Result<Place> {
        let section = match entry.st_shndx(LE) {
            elf::SHN_UNDEF => return Ok(Place::Undefined),
            elf::SHN_ABS => return Ok(Place::Absolute),
            elf::SHN_COMMON => return Ok(Place::Common),
            _ => self
                .symbols
                .symbol_section(LE, entry, index)
                .map_err(damaged)?,
        };
        let Some(SectionIndex(section)) = section else {
            let number = entry.st_shndx(LE).0;
            return Err(damaged(format_args!(
                "symbol {name} is in a section of the reserved number {number:#x}"
            )));
        };
        match self.kept.get(&section) {
            Some(section) => Ok(Place::Section(*section)),
            // Labels in omitted sections have no use.
            None => Ok(Place::Absolute),
        }
    }

    /// Returns the object's index for a symbol of the file.
    fn symbol(&mut self, index: Option<SymbolIndex>) -> Result<usize> {
        match index {
            Some(SymbolIndex(index)) if index < self.symbols.len() => Ok(index - 1),
            Some(SymbolIndex(index)) => Err(damaged(format_args!("there is no symbol {index}"))),
            // A relocation without a symbol becomes one with a symbol of value 0.
            None => {
                self.object.symbols.push(Symbol {
                    name: String::new(),
                    value: 0,
                    size: 0,
                    kind: STT_NOTYPE,
                    binding: STB_LOCAL,
                    visibility: STV_DEFAULT,
                    place: Place::Absolute,
                });
                Ok(self.object.symbols.len() - 1)
            }
        }
    }

    fn read_groups(&mut self) -> Result<()> {
        for section in self.sections.iter() {
            let Some((flags, members)) = section.group(LE, self.bytes).map_err(damaged)? else {
                continue;
            };
            if flags != elf::GRP_COMDAT {
                continue;
            }
            let symbol = SymbolIndex(section.sh_info(LE) as usize);
            let symbol = self.symbol((symbol.0 != 0).then_some(symbol))?;
            for member in members {
                if let Some(at) = self.kept.get(&(member.get(LE) as usize)) {
                    self.object.sections[*at].group = Some(symbol);
                }
            }
        }
        Ok(())
    }

    fn read_relocations(&mut self) -> Result<()> {
        for section in self.sections.iter() {
            let Some((entries, _)) = section.rela(LE, self.bytes).map_err(damaged)? else {
                continue;
            };
            let Some(&at) = self.kept.get(&section.info_link(LE).0) else {
                continue;
            };
            self.take(size_of_val(entries))?;
            for entry in entries {
                let symbol = self.symbol(entry.symbol(LE, false))?;
                self.object.sections[at].relocations.push(Relocation {
                    offset: entry.r_offset(LE),
                    kind: entry.r_type(LE, false).0,
                    symbol,
                    addend: entry.r_addend(LE),
                });
            }
        }
        Ok(())
    }
}

/// Whether a section belongs to the program, and not to the file format.
fn is_kept(kind: elf::SectionType, flags: u64) -> bool {
    let files_own = [
        elf::SHT_NULL,
        elf::SHT_SYMTAB,
        elf::SHT_STRTAB,
        elf::SHT_RELA,
        elf::SHT_REL,
        elf::SHT_GROUP,
        elf::SHT_SYMTAB_SHNDX,
        elf::SectionType(SHT_LLVM_ADDRSIG),
    ];
    !files_own.contains(&kind) && flags & SHF_EXCLUDE == 0
}
