//! The tables that a loader reads: dynamic symbols, their hash tables, relocations, and the dynamic section.
//!
//! Source: "System V ABI", "Dynamic Section" and "Hash Table"; for `.gnu.hash` `lld/ELF/SyntheticSections.cpp`.

use std::collections::HashMap;

use object::elf;

use crate::elf::{SHF_ALLOC, SHF_WRITE, SHT_PROGBITS};
use crate::error::{Error, Result};
use crate::file::{RELA_SIZE, SYMBOL_SIZE, Strings};

use super::scan::{ENTRY_SIZE, Scan};
use super::sections::{DynamicSections, Output, Outputs};
use super::symbols::Symbols;

/// The number of symbols for a bucket of `.gnu.hash`, and of filter bits for a symbol.
const SYMBOLS_A_BUCKET: usize = 4;
const BITS_A_SYMBOL: usize = 12;
/// The shift of the hash for a symbol's second bit in the filter.
const FILTER_SHIFT: u32 = 26;
const WORD_BITS: u32 = 64;
/// The size of an entry of `.dynamic`.
const DYNAMIC_SIZE: u64 = 16;

/// The dynamic tables that depend on the names of symbols.
pub(super) struct DynamicTables {
    /// The symbols in the order of their table, each with the offset of its name.
    pub symbols: Vec<(usize, u32)>,
    /// Index of each symbol in the table.
    pub number_of: HashMap<usize, u32>,
    pub names: Strings,
    pub gnu_hash: Vec<u8>,
    pub hash: Vec<u8>,
    /// The number of relocations without a symbol, which come first.
    pub relative: usize,
}

impl DynamicTables {
    pub(super) fn of(symbols: &Symbols, scan: &Scan) -> Result<DynamicTables> {
        let mut names = Strings::new();
        let mut listed = Vec::new();
        for (number, global) in symbols.globals.iter().enumerate() {
            if global.is_exported() {
                let name = names.append(global.name)?;
                listed.push((number, name));
            }
        }
        // Defined symbols follow the others, sorted by bucket.
        let (undefined, defined): (Vec<_>, Vec<_>) = listed
            .into_iter()
            .partition(|(number, _)| symbols.globals[*number].is_undefined());
        let name = |number: usize| symbols.globals[number].name.as_bytes();
        let buckets = (defined.len() / SYMBOLS_A_BUCKET).max(1) as u32;
        let mut hashed: Vec<(u32, (usize, u32))> = defined
            .into_iter()
            .map(|symbol| (elf::gnu_hash(name(symbol.0)), symbol))
            .collect();
        hashed.sort_by_key(|(hash, _)| hash % buckets);
        let hashes: Vec<u32> = hashed.iter().map(|(hash, _)| *hash).collect();
        let first = undefined.len() as u32 + 1;
        let mut listed = undefined;
        listed.extend(hashed.into_iter().map(|(_, symbol)| symbol));
        u32::try_from(listed.len() + 1).map_err(|_| Error::TooLarge("its symbols".to_owned()))?;
        let numbered = listed.iter().zip(1..);
        Ok(DynamicTables {
            number_of: numbered.map(|((n, _), index)| (*n, index)).collect(),
            gnu_hash: gnu_hash(&hashes, buckets, first),
            hash: hash(listed.iter().map(|(number, _)| name(*number))),
            symbols: listed,
            names,
            relative: scan.dynamic.iter().filter(|d| d.symbol.is_none()).count(),
        })
    }

    /// Adds the sections of the tables, whose sizes are known already.
    pub(super) fn add_sections(&self, scan: &Scan, outputs: &mut Outputs) {
        let table = |name: &str, kind: elf::SectionType, size: usize, entry_size| Output {
            name: name.to_owned(),
            kind: kind.0,
            flags: SHF_ALLOC,
            align: 8,
            entry_size,
            size: size as u64,
            ..Output::default()
        };
        let count = self.symbols.len() + 1;
        let symbols = count * SYMBOL_SIZE as usize;
        let symbols = outputs.add(table(".dynsym", elf::SHT_DYNSYM, symbols, SYMBOL_SIZE));
        let gnu_hash = table(".gnu.hash", elf::SHT_GNU_HASH, self.gnu_hash.len(), 0);
        let gnu_hash = outputs.add(gnu_hash);
        let hash = outputs.add(Output {
            align: 4,
            ..table(".hash", elf::SHT_HASH, self.hash.len(), 4)
        });
        let names = outputs.add(Output {
            align: 1,
            ..table(".dynstr", elf::SHT_STRTAB, self.names.bytes().len(), 0)
        });
        let relocations = scan.dynamic.len() * RELA_SIZE as usize;
        let relocations = (relocations > 0)
            .then(|| outputs.add(table(".rela.dyn", elf::SHT_RELA, relocations, RELA_SIZE)));
        let dynamic = outputs.add(Output {
            flags: SHF_ALLOC | SHF_WRITE,
            ..table(".dynamic", elf::SHT_DYNAMIC, 0, DYNAMIC_SIZE)
        });
        let got = scan.entry_of.len() as u64 * ENTRY_SIZE;
        let got = (got > 0).then(|| {
            outputs.add(Output {
                flags: SHF_ALLOC | SHF_WRITE,
                ..table(".got", elf::SectionType(SHT_PROGBITS), got as usize, 0)
            })
        });
        outputs.dynamic = DynamicSections {
            symbols,
            gnu_hash,
            hash,
            names,
            relocations,
            dynamic,
            got,
        };
        for index in [gnu_hash, hash].into_iter().chain(relocations) {
            outputs.list[index].link = Some(symbols);
        }
        outputs.list[symbols].link = Some(names);
        outputs.list[symbols].info = 1;
        outputs.list[dynamic].link = Some(names);
        outputs.list[dynamic].size = self.dynamic(outputs).len() as u64;
    }

    /// Returns the contents of `.dynamic`: the places of all tables, as far as known.
    pub(super) fn dynamic(&self, outputs: &Outputs) -> Vec<u8> {
        let section = |index: usize| &outputs.list[index];
        let sections = &outputs.dynamic;
        let mut entries = Vec::new();
        if let Some(relocations) = sections.relocations.map(section) {
            entries.push((elf::DT_RELA, relocations.address));
            entries.push((elf::DT_RELASZ, relocations.size));
            entries.push((elf::DT_RELAENT, RELA_SIZE));
            if self.relative > 0 {
                entries.push((elf::DT_RELACOUNT, self.relative as u64));
            }
        }
        entries.push((elf::DT_SYMTAB, section(sections.symbols).address));
        entries.push((elf::DT_SYMENT, SYMBOL_SIZE));
        entries.push((elf::DT_STRTAB, section(sections.names).address));
        entries.push((elf::DT_STRSZ, section(sections.names).size));
        entries.push((elf::DT_GNU_HASH, section(sections.gnu_hash).address));
        entries.push((elf::DT_HASH, section(sections.hash).address));
        for (name, at, size) in [
            (
                ".preinit_array",
                elf::DT_PREINIT_ARRAY,
                elf::DT_PREINIT_ARRAYSZ,
            ),
            (".init_array", elf::DT_INIT_ARRAY, elf::DT_INIT_ARRAYSZ),
            (".fini_array", elf::DT_FINI_ARRAY, elf::DT_FINI_ARRAYSZ),
        ] {
            if let Some(array) = outputs.list.iter().find(|output| output.name == name) {
                entries.push((at, array.address));
                entries.push((size, array.size));
            }
        }
        entries.push((elf::DT_NULL, 0));
        let words = entries.into_iter().flat_map(|(tag, value)| {
            let tag = tag.0.to_le_bytes();
            tag.into_iter().chain(value.to_le_bytes())
        });
        words.collect()
    }
}

/// Returns `.gnu.hash`: a filter, buckets, and the hashes of the symbols, which are in the order of their buckets from index
/// `first` on.
fn gnu_hash(hashes: &[u32], buckets: u32, first: u32) -> Vec<u8> {
    let bits = hashes.len() * BITS_A_SYMBOL;
    let words = if hashes.is_empty() {
        1
    } else {
        (bits / WORD_BITS as usize + 1).next_power_of_two()
    };
    let mut filter = vec![0u64; words];
    let mut firsts = vec![0u32; buckets as usize];
    let mut chains = Vec::with_capacity(hashes.len());
    for (n, hash) in hashes.iter().enumerate() {
        let word = &mut filter[(hash / WORD_BITS) as usize & (words - 1)];
        *word |= 1 << (hash % WORD_BITS) | 1 << (hash >> FILTER_SHIFT & (WORD_BITS - 1));
        let bucket = hash % buckets;
        let start = &mut firsts[bucket as usize];
        if *start == 0 {
            *start = first + n as u32;
        }
        // The lowest bit marks the end of a chain.
        let ends = hashes
            .get(n + 1)
            .is_none_or(|next| next % buckets != bucket);
        chains.push(hash & !1 | u32::from(ends));
    }
    let mut out = Vec::new();
    for word in [buckets, first, words as u32, FILTER_SHIFT] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend(filter.iter().flat_map(|word| word.to_le_bytes()));
    out.extend(
        firsts
            .iter()
            .chain(&chains)
            .flat_map(|word| word.to_le_bytes()),
    );
    out
}

/// Returns `.hash`: as many buckets as symbols, and chains that begin with the last symbol.
fn hash<'a>(names: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let names: Vec<&[u8]> = names.collect();
    let count = names.len() + 1;
    let mut buckets = vec![0u32; count];
    let mut chains = vec![0u32; count];
    for (n, name) in names.iter().enumerate() {
        let number = n as u32 + 1;
        let bucket = &mut buckets[elf::hash(name) as usize % count];
        chains[n + 1] = std::mem::replace(bucket, number);
    }
    let sizes = [count as u32; 2];
    let words = sizes.iter().chain(&buckets).chain(&chains);
    words.flat_map(|word| word.to_le_bytes()).collect()
}
