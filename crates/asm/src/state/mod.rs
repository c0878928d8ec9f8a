//! What a source has made so far: sections with their bytes, symbols, and the places that wait for values.

mod fixup;
mod scopes;
mod sections;
mod symbols;

pub(crate) use fixup::{Fixup, FixupKind, Place};
pub(crate) use sections::{
    Group, Key, Layout, NOP, Section, SectionId, Sections, Spot, Tail, TooLarge, leb,
};
pub(crate) use symbols::{Definition, Registers, Symbol, SymbolId, Symbols};
