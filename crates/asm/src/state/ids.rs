//! Identifiers of sections, of locations in sections, and of symbols.

/// The index of a section.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SectionId(pub u32);

/// A location in a section: the part, and the offset in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Location {
    pub section: SectionId,
    pub fragment: u32,
    pub offset: u64,
}

/// The index of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SymbolId(pub u32);
