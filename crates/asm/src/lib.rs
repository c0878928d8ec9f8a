//! Sources of instructions to bytes, and code objects to listings.
//!
//! * [`assemble`] reads a source of instructions with labels and comments, and reports every wrong line of it.
//! * [`Listing`] shows the code of a code object, or plain bytes, with symbols and branch targets as labels.
//! * [`hex_line`] is one line of hexadecimal bytes to one line of text.
//!
//! The text of single instructions is the business of `wavetank-isa`.
//!
//! ```
//! use wavetank_asm::assemble;
//! use wavetank_isa::{Chip, Dialect};
//!
//! let source = "loop: s_sub_u32 s0, s0, 1 // count down\n s_cbranch_scc1 loop";
//! let mut code = Vec::new();
//! assemble(source, Chip::Gfx900, Dialect::Llvm, |line| code.extend_from_slice(line.bytes()))?;
//! assert_eq!(code, [0x00, 0x81, 0x80, 0x80, 0xfe, 0xff, 0x85, 0xbf]);
//! # Ok::<(), wavetank_asm::Errors>(())
//! ```

#![warn(missing_docs)]

mod assemble;
mod hex;
mod label;
mod listing;
mod source;

pub use assemble::{Errors, Line, LineError, assemble, assemble_until};
pub use hex::{HexError, REJECTED, hex_line};
pub use listing::{Listing, ListingError};
