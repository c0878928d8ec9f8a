//! An object file that is not linked yet.

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

/// A section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name, such as `.text`. Several may have the same.
    pub name: String,
    /// What is in it (`sh_type`, `SHT_*`).
    pub kind: u32,
    /// How it is used (`sh_flags`, `SHF_*`), but for `SHF_GROUP`, which [`group`](Self::group) says.
    pub flags: u64,
    /// Size of an entry, if it is a table of such, else 0.
    pub entry_size: u64,
    /// The alignment of its address, a power of two.
    pub align: u64,
    /// Its contents; none for `SHT_NOBITS`.
    pub bytes: Vec<u8>,
    /// Its size, which is that of `bytes` but for `SHT_NOBITS`.
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
    /// What is added.
    pub addend: i64,
}

/// A symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name; empty for that of a section.
    pub name: String,
    /// The offset in its section, the value of an absolute one, the alignment of a common one.
    pub value: u64,
    /// Its size in bytes, 0 where nobody has said it.
    pub size: u64,
    /// What it is (`STT_*`).
    pub kind: u8,
    /// Who sees it (`STB_*`).
    pub binding: u8,
    /// Who sees it outside of what is linked (`STV_*`).
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
