//! The assembler and disassembler of whole programs: sources to bytes and objects, and code objects to listings and sources.
//!
//! * [`assemble_object`] reads a source and makes a relocatable object of it: sections, symbols, kernels, metadata.
//! * [`assemble_code`] makes the plain bytes of its code.
//! * [`Signature`] describes a kernel in one line instead of directives.
//! * [`assemble_linked`] makes the code object that is loaded.
//! * [`assemble`] returns the instructions of a source one by one.
//! * [`Listing`] shows the code of a code object, or plain bytes, with labels for symbols and branch targets.
//! * [`source_of`] makes a source from a code object that assembles to the same sections.
//! * [`disassemble`] returns the instructions of a file one by one.
//! * [`hex_line`] disassembles one line of hexadecimal bytes to one line of text.
//!
//! The text of single instructions is in `wavetank-gcn`, linking in `wavetank-link`.
//!
//! ```
//! use wavetank_asm::assemble;
//! use wavetank_gcn::{Chip, Dialect};
//!
//! let source = "loop: s_sub_u32 s0, s0, 1 // count down\n s_cbranch_scc1 loop";
//! let mut code = Vec::new();
//! assemble(source, Chip::Gfx900, Dialect::Llvm, |line| code.extend_from_slice(line.bytes()))?;
//! assert_eq!(code, [0x00, 0x81, 0x80, 0x80, 0xfe, 0xff, 0x85, 0xbf]);
//! # Ok::<(), wavetank_asm::Errors>(())
//! ```

#![warn(missing_docs)]

mod assemble;
mod assembler;
mod assembly;
mod directive;
mod disassembly;
mod errors;
mod expression;
mod files;
mod finish;
mod hex;
mod kernel;
mod line;
mod linked;
mod listing;
mod message;
mod options;
mod ordered_pool;
mod session;
mod signature;
mod source;
mod state;
mod to_source;

pub use assemble::{assemble, assemble_code, assemble_lines, assemble_object, assemble_whole};
pub use assembly::{Assembly, Container};
pub use disassembly::{DisassemblyError, PlacedInst, disassemble};
pub use errors::{Errors, FilePlace, LineError};
pub use files::{Files, Folders, NoFiles};
pub use hex::{HexError, REJECTED, hex_line};
pub use line::Line;
pub use linked::{LinkedError, assemble_linked, link_options};
pub use listing::{Listing, ListingError, SectionListing};
pub use message::Message;
pub use options::Options;
pub use signature::Signature;
pub use source::text_of;
pub use to_source::{ToSourceError, source_of};
pub use wavetank_gcn::ParseError;

use wavetank_gcn::Chip;

/// Returns major, minor and stepping of a chip's instruction set: 9, 0 and 12 for gfx90c.
fn isa_version(chip: Chip) -> (u32, u32, u32) {
    let name = chip.name().trim_start_matches("gfx");
    let (major, rest) = name.split_at(name.len().saturating_sub(2));
    let digit = |at: usize| {
        rest.chars()
            .nth(at)
            .and_then(|c| c.to_digit(16))
            .unwrap_or(0)
    };
    (major.parse().unwrap_or(0), digit(0), digit(1))
}
