//! Assembled instructions with their lines in the source.

use std::fmt;

use wavetank_gcn::text::print_at;
use wavetank_gcn::{Dialect, Encoded, Inst};

/// The placeholder in an instruction for an operand whose value is not known yet. It is not an inline constant.
pub(crate) const LITERAL: u32 = 0x5eed_f00d;

/// An instruction of a source.
#[derive(Clone, Debug)]
pub struct Line {
    /// The number of the instruction's line, from 1; for a macro's instruction, the number within the expansion.
    pub number: usize,
    /// The number of the line in the file: for a macro's instruction, that of the statement that uses the macro.
    pub file_line: usize,
    /// The offset of the instruction in its section, in bytes.
    pub address: u64,
    /// The instruction. An address that only a linker can compute is 0 in it.
    pub inst: Inst,
    pub(crate) code: Encoded,
    /// The operand whose value was not known when the line was read.
    pub(crate) symbolic: Option<Symbolic>,
}

/// An operand given by a name.
#[derive(Clone, Debug)]
pub(crate) struct Symbolic {
    /// The operand as it was written.
    pub written: String,
    /// The instruction with a placeholder for the operand that occurs nowhere else in its text.
    pub template: Inst,
    /// Whether only a linker can compute the operand's value.
    pub linked: bool,
}

impl Line {
    /// Returns the 4 or 8 bytes of the instruction, in memory order.
    pub fn bytes(&self) -> &[u8] {
        self.code.as_bytes()
    }

    /// Returns the operand that a linker has to fill in, as it was written; its bytes are 0.
    pub fn waits_for(&self) -> Option<&str> {
        let symbolic = self.symbolic.as_ref().filter(|symbolic| symbolic.linked);
        symbolic.map(|symbolic| &*symbolic.written)
    }

    /// Writes the canonical text of the instruction. An operand whose value was not known is written as in the source.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn print(&self, dialect: Dialect, out: &mut impl fmt::Write) -> fmt::Result {
        let Some(Symbolic {
            written, template, ..
        }) = &self.symbolic
        else {
            return print_at(&self.inst, dialect, self.address, out);
        };
        let mut text = String::new();
        print_at(template, dialect, self.address, &mut text)?;
        // The placeholder's place: after the last blank of a branch, otherwise at its hexadecimal digits.
        let placeholder = format!("{LITERAL:#x}");
        match (text.find(&placeholder), text.rfind(' ')) {
            (Some(at), _) => write!(
                out,
                "{}{written}{}",
                &text[..at],
                &text[at + placeholder.len()..]
            ),
            (None, Some(blank)) => write!(out, "{} {written}", &text[..blank]),
            (None, None) => out.write_str(&text),
        }
    }
}
