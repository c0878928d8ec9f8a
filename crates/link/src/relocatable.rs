//! The contents of a relocatable object file: sections, symbols and relocations.

use crate::identity::Identity;

/// An assembler's output: sections, symbols, and relocations for places that wait for addresses of symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocatable {
    /// System, version and chip of the object.
    pub identity: Identity,
    /// The sections in their order, without those that only the file format needs: symbol table, names, relocations, groups.
    pub sections: Vec<Section>,
    /// The symbols in the order of their definition, local and global ones mixed.
    pub symbols: Vec<Symbol>,
}

/// A section of an object file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The name, such as `.text`. Several sections may have the same name.
    pub name: String,
    /// The section type (`sh_type`, `SHT_*`).
    pub kind: u32,
    /// The section flags (`sh_flags`, `SHF_*`), except for `SHF_GROUP`, which follows from [`group`](Self::group).
    pub flags: u64,
    /// The size of an entry, if the section is a table, else 0.
    pub entry_size: u64,
    /// The alignment of the section's address, a power of two.
    pub align: u64,
    /// The contents; empty for `SHT_NOBITS`.
    pub bytes: Vec<u8>,
    /// The size in memory: that of `bytes`, except for `SHT_NOBITS`.
    pub size: u64,
    /// The group of which the section is a member, given by the index of the symbol that names the group. Of groups with the same
    /// name, a linker keeps the first (`GRP_COMDAT`).
    pub group: Option<usize>,
    /// The places in the section that wait for addresses.
    pub relocations: Vec<Relocation>,
}

/// A place in a section that waits for the address of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// The offset of the place in the section.
    pub offset: u64,
    /// The relocation type, one of [`reloc`](crate::reloc).
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
    /// The offset in its section, the value of an absolute symbol, or the alignment of a common one.
    pub value: u64,
    /// The size in bytes; 0 if it is not given.
    pub size: u64,
    /// The symbol type (`STT_*`).
    pub kind: u8,
    /// The binding of the symbol (`STB_*`).
    pub binding: u8,
    /// The visibility of the symbol (`STV_*`).
    pub visibility: u8,
    /// The place of the symbol's definition.
    pub place: Place,
}

/// The place of a symbol's definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The symbol is not defined in this file.
    Undefined,
    /// The symbol is a number.
    Absolute,
    /// The linker reserves space for the symbol, once for all files.
    Common,
    /// The symbol is in the section of this index.
    Section(usize),
}
