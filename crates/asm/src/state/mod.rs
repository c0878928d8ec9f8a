//! The contents of the future object: sections with their bytes, symbols, fixups, and rows of the line table.

mod first_char_filter;
mod fixup;
mod ids;
mod lines;
mod scopes;
mod sections;
mod symbols;

pub(crate) use first_char_filter::FirstCharFilter;
pub(crate) use fixup::{Fixup, FixupKind, Place};
pub(crate) use ids::{Location, SectionId, SymbolId};
pub(crate) use lines::{File, LineRow, Lines};
pub(crate) use sections::{Group, Key, Layout, NOP, Section, Sections, Tail, TooLarge, leb};
pub(crate) use symbols::{Definition, Registers, Symbol, Symbols};
