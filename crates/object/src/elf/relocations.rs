//! Dynamic relocations: changes of memory that depend on the load address.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use object::LittleEndian;
use object::elf::{self, FileHeader64, SectionHeader64};
use object::read::elf::{FileHeader, Rel, Rela, SectionHeader, Sym, SymbolTable};
use object::read::{SectionIndex, SymbolIndex};

use super::section_layout::takes_memory;
use super::{Elf, LE, Names, damaged};
use crate::bytes::field;
use crate::error::Result;

/// A dynamic relocation, which a loader applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relocation {
    /// The type of the relocation, `R_AMDGPU_*`.
    pub kind: u32,
    /// The virtual address of the place to change.
    pub place: u64,
    pub addend: i64,
    /// The symbol that the relocation refers to, if any; thousands may share one.
    pub symbol: Option<Arc<RelocationSymbol>>,
}

/// The symbol that a relocation refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelocationSymbol {
    pub name: String,
    /// The virtual address, or `None` for a symbol that is not defined here.
    pub address: Option<u64>,
    pub weak: bool,
}

/// The common contents of both kinds of relocation sections.
struct Entries {
    /// For each entry: the place in the section, type, symbol, and addend.
    all: Vec<(u64, u32, Option<SymbolIndex>, i64)>,
    /// The index of the symbol table's section.
    link: SectionIndex,
}

/// The section that relocations change.
struct Target<'a> {
    /// The address of the section's first byte.
    first: u64,
    /// The section's bytes, which hold the addends of entries without them.
    contents: &'a [u8],
}

impl<'a> Elf<'a> {
    /// Returns the section that a relocation section changes. `None` if that is not in memory. In linked files relocation
    /// sections are in memory themselves, and their places are addresses.
    fn relocates(&self, section: &SectionHeader64<LittleEndian>) -> Result<Option<Target<'a>>> {
        if self.header.e_type(LE) != elf::ET_REL {
            let (first, contents) = (0, &[][..]);
            return Ok(takes_memory(section).then_some(Target { first, contents }));
        }
        let index = SectionIndex(section.sh_info(LE) as usize);
        let header = match self.sections.section(index) {
            Ok(header) if takes_memory(header) => header,
            _ => return Ok(None),
        };
        Ok(Some(Target {
            first: self.place_of(Some(index)),
            contents: header.data(LE, self.bytes).map_err(damaged)?,
        }))
    }

    /// Returns the entries of a relocation section, or `None` for other sections.
    fn entries(
        &self,
        section: &SectionHeader64<LittleEndian>,
        target: &Target,
    ) -> Result<Option<Entries>> {
        if let Some((entries, link)) = section.rela(LE, self.bytes).map_err(damaged)? {
            let all = entries.iter().map(|entry| {
                let (kind, symbol) = (entry.r_type(LE, false).0, entry.symbol(LE, false));
                (entry.r_offset(LE), kind, symbol, entry.r_addend(LE))
            });
            let all = all.collect();
            return Ok(Some(Entries { all, link }));
        }
        let Some((entries, link)) = section.rel(LE, self.bytes).map_err(damaged)? else {
            return Ok(None);
        };
        let all = entries.iter().map(|entry| {
            let (kind, symbol) = (entry.r_type(LE).0, entry.symbol(LE));
            let addend = target.addend(kind, entry.r_offset(LE));
            (entry.r_offset(LE), kind, symbol, addend)
        });
        let all = all.collect();
        Ok(Some(Entries { all, link }))
    }

    /// Returns the dynamic relocations: those in allocated sections or, in a relocatable file, those that change allocated
    /// sections.
    pub(crate) fn relocations(&self) -> Result<Vec<Relocation>> {
        let mut relocations = Vec::new();
        let mut names = Names::of(self.bytes);
        for section in self.sections.iter() {
            let Some(target) = self.relocates(section)? else {
                continue;
            };
            let Some(Entries { all, link }) = self.entries(section, &target)? else {
                continue;
            };
            // Sections that share their bytes could contain more relocations than the file has room for.
            if (relocations.len() + all.len()) * size_of::<elf::Rel64<LittleEndian>>()
                > self.bytes.len()
            {
                return Err(damaged("its relocation sections overlap"));
            }
            let table = match link.0 {
                0 => Default::default(),
                _ => self
                    .sections
                    .symbol_table_by_index(LE, self.bytes, link)
                    .map_err(damaged)?,
            };
            let mut known: HashMap<SymbolIndex, Arc<RelocationSymbol>> = HashMap::new();
            for (offset, kind, symbol, addend) in all {
                let symbol = symbol.map(|index| match known.entry(index) {
                    Entry::Occupied(known) => Ok(known.get().clone()),
                    Entry::Vacant(new) => {
                        let symbol = self.relocation_symbol(&table, index, &mut names)?;
                        Ok(new.insert(Arc::new(symbol)).clone())
                    }
                });
                relocations.push(Relocation {
                    kind,
                    place: target.first.wrapping_add(offset),
                    addend,
                    symbol: symbol.transpose()?,
                });
            }
        }
        Ok(relocations)
    }

    fn relocation_symbol(
        &self,
        table: &SymbolTable<FileHeader64<LittleEndian>>,
        index: SymbolIndex,
        names: &mut Names,
    ) -> Result<RelocationSymbol> {
        let symbol = table.symbol(index).map_err(damaged)?;
        let name = table.symbol_name(LE, symbol).map_err(damaged)?;
        Ok(RelocationSymbol {
            name: names.take(name)?,
            address: (!symbol.is_undefined(LE)).then(|| self.address_of(symbol)),
            weak: symbol.is_weak(),
        })
    }
}

impl Target<'_> {
    /// Returns the value at a place to change: 64 bits for R_AMDGPU_ABS64 and R_AMDGPU_REL64, otherwise 32.
    fn addend(&self, kind: u32, offset: u64) -> i64 {
        let there = usize::try_from(offset).ok();
        let there = there
            .and_then(|at| self.contents.get(at..))
            .unwrap_or_default();
        match (kind, there.len()) {
            (3 | 5, 8..) => i64::from_le_bytes(field(there, 0)),
            (_, 4..) => i32::from_le_bytes(field(there, 0)).into(),
            // A place outside the section is reported when the relocation is applied.
            _ => 0,
        }
    }
}
