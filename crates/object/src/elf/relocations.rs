//! Dynamic relocations: changes of memory once the load address is known.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use object::LittleEndian;
use object::elf::{self, FileHeader64, SectionHeader64};
use object::read::elf::{FileHeader, Rel, Rela, SectionHeader, Sym, SymbolTable};
use object::read::{SectionIndex, SymbolIndex};

use super::relocatable::takes_memory;
use super::{Elf, LE, Names, damaged};
use crate::bytes::field;
use crate::error::Result;

/// A dynamic relocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relocation {
    /// `R_AMDGPU_*`.
    pub kind: u32,
    /// Virtual address of the place to change.
    pub place: u64,
    pub addend: i64,
    /// The symbol it refers to, if any; thousands may refer to the same one.
    pub symbol: Option<Arc<RelocationSymbol>>,
}

/// The symbol that a relocation refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelocationSymbol {
    pub name: String,
    /// Virtual address, or `None` for one that is not defined here.
    pub address: Option<u64>,
    pub weak: bool,
}

/// What the entries of both kinds of sections say.
struct Entries {
    /// Place in the section, type, symbol, and addend.
    all: Vec<(u64, u32, Option<SymbolIndex>, i64)>,
    /// The section with the symbols.
    link: SectionIndex,
}

/// Where a section changes things.
struct Target<'a> {
    /// The address of the first byte.
    first: u64,
    /// The bytes, in which addends stand that entries do not have.
    contents: &'a [u8],
}

impl<'a> Elf<'a> {
    /// What is to be relocated by a section. `None` if that is no memory: in linked files sections of relocations take memory
    /// themselves, and places are addresses.
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

    /// The relocations of a section, if it has some.
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

    /// The dynamic relocations: those of allocated sections; of a relocatable file those of what is allocated.
    pub fn relocations(&self) -> Result<Vec<Relocation>> {
        let mut relocations = Vec::new();
        let mut names = Names::of(self.bytes);
        for section in self.sections.iter() {
            let Some(target) = self.relocates(section)? else {
                continue;
            };
            let Some(Entries { all, link }) = self.entries(section, &target)? else {
                continue;
            };
            // Sections that share their bytes could hold more relocations than the file has room for.
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
    /// What stands at a place that is to be changed: 64 bits of R_AMDGPU_ABS64 and R_AMDGPU_REL64, otherwise 32.
    fn addend(&self, kind: u32, offset: u64) -> i64 {
        let there = usize::try_from(offset).ok();
        let there = there
            .and_then(|at| self.contents.get(at..))
            .unwrap_or_default();
        match (kind, there.len()) {
            (3 | 5, 8..) => i64::from_le_bytes(field(there, 0)),
            (_, 4..) => i32::from_le_bytes(field(there, 0)).into(),
            // What lies outside is told where it is applied.
            _ => 0,
        }
    }
}
