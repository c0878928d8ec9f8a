//! Identifiers of sections, of locations in them, and of symbols.

/// A section's number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SectionId(pub u32);

/// A place in a section: in which part, and how far from its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Location {
    pub section: SectionId,
    pub fragment: u32,
    pub offset: u64,
}

/// A symbol's number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SymbolId(pub u32);
