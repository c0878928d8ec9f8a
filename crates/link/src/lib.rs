//! Relocatable object files of AMD GPUs, and the linker that makes code objects from them.
//!
//! * [`Relocatable`] is an assembler's output: sections, symbols, and the relocations for a linker. It is written as an ELF file
//!   of type `ET_REL`, and read from one.
//! * [`link`] joins several of them to a code object, a shared library as `ld.lld -shared` makes it.
//!
//! The crate does not decode instructions. Its input is untrusted.

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
