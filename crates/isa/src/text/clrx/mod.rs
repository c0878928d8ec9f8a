//! The syntax of CLRadeonExtender's assembler, where it is not LLVM's.

use std::fmt;

use super::ParseError;
use crate::generation::Chip;
use crate::inst::Inst;

/// Parses one instruction that stands at an address of the code.
pub(super) fn parse(text: &str, chip: Chip, _address: u64) -> Result<Inst, ParseError> {
    super::parse(text, chip)
}

/// Writes an instruction.
pub(super) fn print(inst: &Inst, out: &mut impl fmt::Write) -> fmt::Result {
    super::print(inst, out)
}
