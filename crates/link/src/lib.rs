//! Relocatable object files of AMD GPUs, and the linker that makes code objects from them.
//!
//! * [`Relocatable`] is an assembler's output: sections, symbols, and the relocations for a linker. It is written as an ELF file
//!   of type `ET_REL`, and read from one.
//! * [`link`] joins several of them to a code object, a shared library as `ld.lld -shared` makes it.
//!
//! The crate does not decode instructions. Its input is untrusted.
//!
//! ```
//! use wavetank_link::{Identity, Input, Linked, Options, Os, Place, Relocatable, Section, Symbol, elf, link};
//!
//! // s_endpgm, as a function `stop`
//! let code = Section {
//!     name: ".text".into(),
//!     kind: elf::SHT_PROGBITS,
//!     flags: elf::SHF_ALLOC | elf::SHF_EXECINSTR,
//!     entry_size: 0,
//!     align: 256,
//!     bytes: 0xbf81_0000_u32.to_le_bytes().into(),
//!     size: 4,
//!     group: None,
//!     relocations: Vec::new(),
//! };
//! let stop = Symbol {
//!     name: "stop".into(),
//!     value: 0,
//!     size: 4,
//!     kind: elf::STT_FUNC,
//!     binding: elf::STB_GLOBAL,
//!     visibility: elf::STV_PROTECTED,
//!     place: Place::Section(0),
//! };
//! let identity = Identity::of(&"gfx900:xnack-".parse()?, Os::Hsa, 5)?;
//! let object = Relocatable { identity, sections: vec![code], symbols: vec![stop] };
//! let input = Input { name: "stop.o", object: &object };
//! let linked = Linked::read(&link(&[input], &Options::default())?)?;
//! assert!(linked.symbols.iter().any(|symbol| symbol.name == "stop"));
//! # Ok::<(), wavetank_link::Error>(())
//! ```

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
