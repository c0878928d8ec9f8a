//! Relocatable object files of AMD GPUs, and the linker that makes code objects of them.
//!
//! * [`Relocatable`] is what an assembler leaves: sections, symbols, and the places that a linker fills in. It is written as
//!   an ELF file of type `ET_REL`, and read from one.
//! * [`link`] joins several of them to a code object, a shared library such as `ld.lld -shared` makes.
//!
//! The crate knows nothing of instructions. What it reads is not trusted.

#![warn(missing_docs)]

mod check;
pub mod elf;
mod error;
mod file;
mod identity;
mod link;
mod linked;
mod read;
pub mod reloc;
mod relocatable;
mod write;

pub use error::{Error, Problem, Result};
pub use identity::{Identity, Os};
pub use link::{Input, Options, link};
pub use linked::{Address, Linked, LinkedSection};
pub use relocatable::{Place, Relocatable, Relocation, Section, Symbol};
