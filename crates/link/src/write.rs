//! The writer of object files as ELF files of type `ET_REL`.

use std::collections::HashMap;

use object::elf;

use crate::elf::{SHF_GROUP, SHT_NOBITS, STB_LOCAL};
use crate::error::{Error, Result};
use crate::file::{
    FILE_HEADER_SIZE, RELA_SIZE, SECTION_HEADER_SIZE, SYMBOL_SIZE, SectionHeader, SectionNumber,
    Strings, SymbolRecord, Tables, align, file_header, null_section, rela,
};
use crate::relocatable::{Place, Relocatable, Section};

impl Relocatable {
    /// Returns the file: sections in their order, each followed by its relocations, then symbols with the local ones first.
    ///
    /// # Errors
    /// The errors of [`check`](Self::check); [`Error::TooLarge`].
    pub fn write(&self) -> Result<Vec<u8>> {
        self.check()?;
        let numbers = Numbers::of(self)?;
        let mut writer = Writer {
            object: self,
            numbers,
            out: vec![0; FILE_HEADER_SIZE as usize],
            headers: vec![SectionHeader::default()],
            names: Strings::new(),
        };
        writer.groups()?;
        for n in 0..self.sections.len() {
            writer.section(n)?;
        }
        writer.symbols()?;
        writer.finish()
    }
}

/// The indices of sections and symbols in the file.
struct Numbers {
    /// The groups, each with the index of its symbol and its members, in the order of their first members.
    groups: Vec<(usize, Vec<usize>)>,
    /// Index of each section.
    sections: Vec<u32>,
    /// Index of the symbol table.
    symbol_table: u32,
    /// The symbols in the order of the file.
    order: Vec<usize>,
    /// The number of local symbols.
    locals: u32,
    /// Index of each symbol.
    symbols: Vec<u32>,
}

impl Numbers {
    fn of(object: &Relocatable) -> Result<Numbers> {
        let large = |_| Error::TooLarge("its tables".to_owned());
        let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut group_of = HashMap::new();
        for (n, section) in object.sections.iter().enumerate() {
            if let Some(symbol) = section.group {
                let at = *group_of.entry(symbol).or_insert(groups.len());
                match groups.get_mut(at) {
                    Some((_, members)) => members.push(n),
                    None => groups.push((symbol, vec![n])),
                }
            }
        }
        let mut next = 1 + groups.len();
        let mut sections = Vec::with_capacity(object.sections.len());
        for section in &object.sections {
            sections.push(u32::try_from(next).map_err(large)?);
            next += 1 + usize::from(!section.relocations.is_empty());
        }
        let local = |n: &usize| object.symbols[*n].binding == STB_LOCAL;
        let (mut order, others): (Vec<_>, Vec<_>) = (0..object.symbols.len()).partition(local);
        let locals = u32::try_from(order.len() + 1).map_err(large)?;
        order.extend(others);
        let mut symbols = vec![0; order.len()];
        for (at, n) in order.iter().enumerate() {
            symbols[*n] = u32::try_from(at + 1).map_err(large)?;
        }
        Ok(Numbers {
            groups,
            sections,
            symbol_table: u32::try_from(next).map_err(large)?,
            order,
            locals,
            symbols,
        })
    }
}

struct Writer<'a> {
    object: &'a Relocatable,
    numbers: Numbers,
    out: Vec<u8>,
    headers: Vec<SectionHeader>,
    names: Strings,
}

impl Writer<'_> {
    /// Appends a section and its header, whose name, offset and size are filled in here.
    fn add(&mut self, name: &str, bytes: &[u8], header: SectionHeader) -> Result<()> {
        align(&mut self.out, header.align);
        self.headers.push(SectionHeader {
            name: self.names.add(name)?,
            offset: self.out.len() as u64,
            size: header.size.max(bytes.len() as u64),
            ..header
        });
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends the groups: a word with flags, and the indices of the members.
    fn groups(&mut self) -> Result<()> {
        for (symbol, members) in std::mem::take(&mut self.numbers.groups) {
            let mut words = vec![elf::GRP_COMDAT.0];
            for member in members {
                let number = self.numbers.sections[member];
                words.push(number);
                // The relocations of a member are members, too.
                if !self.object.sections[member].relocations.is_empty() {
                    words.push(number + 1);
                }
            }
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let header = SectionHeader {
                kind: elf::SHT_GROUP.0,
                link: self.numbers.symbol_table,
                info: self.numbers.symbols[symbol],
                align: 4,
                entry_size: 4,
                ..SectionHeader::default()
            };
            self.add(".group", &bytes, header)?;
        }
        Ok(())
    }

    /// Appends a section and its relocations.
    fn section(&mut self, n: usize) -> Result<()> {
        let section = &self.object.sections[n];
        let grouped = match section.group {
            Some(_) => SHF_GROUP,
            None => 0,
        };
        let header = SectionHeader {
            kind: section.kind,
            flags: section.flags & !SHF_GROUP | grouped,
            size: if section.kind == SHT_NOBITS {
                section.size
            } else {
                0
            },
            align: section.align,
            entry_size: section.entry_size,
            ..SectionHeader::default()
        };
        self.add(&section.name, &section.bytes, header)?;
        if section.relocations.is_empty() {
            Ok(())
        } else {
            self.relocations(section, self.numbers.sections[n], grouped)
        }
    }

    fn relocations(&mut self, section: &Section, number: u32, grouped: u64) -> Result<()> {
        let mut bytes = Vec::with_capacity(section.relocations.len() * RELA_SIZE as usize);
        for r in &section.relocations {
            rela(
                &mut bytes,
                r.offset,
                self.numbers.symbols[r.symbol],
                r.kind,
                r.addend,
            );
        }
        let header = SectionHeader {
            kind: elf::SHT_RELA.0,
            flags: elf::SHF_INFO_LINK.0 | grouped,
            link: self.numbers.symbol_table,
            info: number,
            align: 8,
            entry_size: RELA_SIZE,
            ..SectionHeader::default()
        };
        self.add(&format!(".rela{}", section.name), &bytes, header)
    }

    /// Appends the symbol table and its names; also the table of section numbers, if some exceed 16 bits.
    fn symbols(&mut self) -> Result<()> {
        let mut names = Strings::new();
        let mut bytes = vec![0; SYMBOL_SIZE as usize];
        let mut large = vec![0];
        for n in &self.numbers.order {
            let entry = &self.object.symbols[*n];
            let section = match entry.place {
                Place::Undefined => SectionNumber::UNDEFINED,
                Place::Absolute => SectionNumber::ABSOLUTE,
                Place::Common => SectionNumber::COMMON,
                Place::Section(index) => SectionNumber::Index(self.numbers.sections[index]),
            };
            large.push(section.large());
            let name = names.append(&entry.name)?;
            SymbolRecord::of(entry, section).write(&mut bytes, name);
        }
        let any_large = large.iter().any(|number| *number != 0);
        let table = self.numbers.symbol_table;
        let header = SectionHeader {
            kind: elf::SHT_SYMTAB.0,
            link: table + 1 + u32::from(any_large),
            info: self.numbers.locals,
            align: 8,
            entry_size: SYMBOL_SIZE,
            ..SectionHeader::default()
        };
        self.add(".symtab", &bytes, header)?;
        if any_large {
            let bytes: Vec<u8> = large
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect();
            let header = SectionHeader {
                kind: elf::SHT_SYMTAB_SHNDX.0,
                link: table,
                align: 4,
                entry_size: 4,
                ..SectionHeader::default()
            };
            self.add(".symtab_shndx", &bytes, header)?;
        }
        self.strings(".strtab", names.bytes())
    }

    fn strings(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let header = SectionHeader {
            kind: elf::SHT_STRTAB.0,
            align: 1,
            ..SectionHeader::default()
        };
        self.add(name, bytes, header)
    }

    /// Appends the names of the sections and their headers, and completes the header of the file.
    fn finish(mut self) -> Result<Vec<u8>> {
        // The table contains its own name, so the name is added before the table is written.
        self.names.add(".shstrtab")?;
        let names = self.names.bytes().to_vec();
        self.strings(".shstrtab", &names)?;
        align(&mut self.out, 8);
        let count = self.headers.len() as u32;
        let tables = Tables {
            kind: elf::ET_REL,
            programs: 0,
            sections_at: self.out.len() as u64,
            sections: count,
            names: count - 1,
        };
        self.headers[0] = null_section(&tables);
        for header in &self.headers {
            header.write(&mut self.out);
        }
        debug_assert_eq!(
            self.out.len() as u64,
            tables.sections_at + SECTION_HEADER_SIZE * u64::from(count)
        );
        let header = file_header(&self.object.identity, &tables);
        self.out[..header.len()].copy_from_slice(&header);
        Ok(self.out)
    }
}
