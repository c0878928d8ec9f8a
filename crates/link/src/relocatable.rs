//! A relocatable object file: sections, symbols and relocations.

use crate::identity::Identity;

/// What an assembler leaves: sections, symbols, and the places in sections that wait for addresses of symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocatable {
    /// System, version and chip.
    pub identity: Identity,
    /// The sections in their order, without those that only the file needs: symbol table, names, relocations, groups.
    pub sections: Vec<Section>,
    /// The symbols in the order of their definition; local ones may stand between others.
    pub symbols: Vec<Symbol>,
}

/// A section of an object file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The name, such as `.text`. Several sections may have the same.
    pub name: String,
    /// What is in it (`sh_type`, `SHT_*`).
    pub kind: u32,
    /// How it is used (`sh_flags`, `SHF_*`), but for `SHF_GROUP`, which [`group`](Self::group) says.
    pub flags: u64,
    /// Size of an entry, if it is a table of such, else 0.
    pub entry_size: u64,
    /// The alignment of its address, a power of two.
    pub align: u64,
    /// The contents; empty for `SHT_NOBITS`.
    pub bytes: Vec<u8>,
    /// The size in memory: that of `bytes`, except for `SHT_NOBITS`.
    pub size: u64,
    /// Of which group it is a member: the index of the symbol that names the group. Of the groups of the same name, a linker
    /// takes the first (`GRP_COMDAT`).
    pub group: Option<usize>,
    /// The places that wait for addresses.
    pub relocations: Vec<Relocation>,
}

/// A place in a section that waits for the address of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// Where it is in the section.
    pub offset: u64,
    /// How it is computed, one of [`reloc`](crate::reloc).
    pub kind: u32,
    /// The index of the symbol.
    pub symbol: usize,
    /// The addend of the relocation.
    pub addend: i64,
}

/// A symbol of an object file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name; empty for the symbol of a section.
    pub name: String,
    /// The offset in its section, the value of an absolute one, the alignment of a common one.
    pub value: u64,
    /// The size in bytes; 0 where it is not given.
    pub size: u64,
    /// What it is (`STT_*`).
    pub kind: u8,
    /// The binding (`STB_*`).
    pub binding: u8,
    /// The visibility (`STV_*`).
    pub visibility: u8,
    /// Where it is defined.
    pub place: Place,
}

/// Where a symbol is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Not in this file.
    Undefined,
    /// Nowhere: it is a number.
    Absolute,
    /// Where the linker reserves space for it, once for all files.
    Common,
    /// In the section of this index.
    Section(usize),
}
