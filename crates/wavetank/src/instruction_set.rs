//! The names of instruction sets, as every command takes them.

use thiserror::Error;
use wavetank_gcn::{Chip, later_chip};

/// The prefixes of the names of instruction sets other than GCN.
const OTHERS: [&str; 2] = ["maxwell:", "visa"];

/// The error for a name that is not an instruction set's.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum UnknownInstructionSet {
    /// An instruction set other than GCN.
    #[error(
        "`{0}` is not a chip of GCN: asm, dis, explain, isa and exec take maxwell:50, maxwell:52, maxwell:53, maxwell:60, maxwell:61, maxwell:62, visa, or visa:3.3 and other versions"
    )]
    Other(String),
    /// A chip of a later architecture: the sentence about it.
    #[error("{0}")]
    Later(String),
    /// An unknown name.
    #[error(
        "`{0}` is not an instruction set: write a chip such as gfx600, gfx701, gfx803, gfx900, gfx906, tahiti, fiji or vega20"
    )]
    Unknown(String),
}

/// Returns the chip for a name of an instruction set, ignoring case: `gfx900`, one of LLVM's names, such as `tonga`, the code
/// name of a chip, such as `vega20`, or a product, such as `rx580`.
///
/// # Errors
/// An [`UnknownInstructionSet`], which lists valid names.
///
/// ```
/// use wavetank::{Chip, instruction_set};
/// assert_eq!(instruction_set("fiji"), Ok(Chip::Gfx803));
/// assert!(instruction_set("visa").unwrap_err().to_string().contains("not a chip of GCN"));
/// ```
pub fn instruction_set(name: &str) -> Result<Chip, UnknownInstructionSet> {
    if OTHERS.iter().any(|other| name.starts_with(other)) {
        return Err(UnknownInstructionSet::Other(name.to_owned()));
    }
    Chip::from_name(name).ok_or_else(|| match later_chip(name) {
        Some(sentence) => UnknownInstructionSet::Later(sentence),
        None => UnknownInstructionSet::Unknown(name.to_owned()),
    })
}
