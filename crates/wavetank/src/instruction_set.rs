//! The names of instruction sets, as every command takes them.

use thiserror::Error;
use wavetank_isa::Chip;

/// The instruction sets beside GCN that have a name already.
const LATER: [&str; 3] = ["maxwell:50", "maxwell:52", "visa"];

/// A name that chooses no instruction set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum UnknownInstructionSet {
    /// One that is planned.
    #[error("the instruction set `{0}` is not there yet: there are gfx600 to gfx90c")]
    Later(String),
    /// None at all.
    #[error(
        "`{0}` is no instruction set: write a chip such as gfx600, gfx701, gfx803, gfx900, gfx906, tahiti, fiji or vega20"
    )]
    Unknown(String),
}

/// The chip that a name of an instruction set stands for: `gfx900`, one of LLVM's names, such as `tonga`, or the code name
/// of a chip, such as `vega20`, in any case.
///
/// # Errors
/// An [`UnknownInstructionSet`], which says what could be written.
///
/// ```
/// use wavetank::{Chip, instruction_set};
/// assert_eq!(instruction_set("fiji"), Ok(Chip::Gfx803));
/// assert!(instruction_set("visa").unwrap_err().to_string().contains("not there yet"));
/// ```
pub fn instruction_set(name: &str) -> Result<Chip, UnknownInstructionSet> {
    if LATER.contains(&name) {
        return Err(UnknownInstructionSet::Later(name.to_owned()));
    }
    Chip::from_name(name).ok_or_else(|| UnknownInstructionSet::Unknown(name.to_owned()))
}
