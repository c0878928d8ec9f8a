//! An assembled instruction with its line.

use std::fmt;

use wavetank_gcn::text::print_at;
use wavetank_gcn::{Dialect, Encoded, Inst};

/// The number in an instruction that stands for an operand whose value is not known yet. It is not an inline constant.
pub(crate) const LITERAL: u32 = 0x5eed_f00d;

/// An instruction of a source.
#[derive(Clone, Debug)]
pub struct Line {
    /// The number of its line, from 1; of a macro's instruction, the number in the expansion.
    pub number: usize,
    /// Where it stands in its section, in bytes.
    pub address: u64,
    /// The instruction. Where it waits for an address that only a linker knows, there is 0 in its place.
    pub inst: Inst,
    pub(crate) code: Encoded,
    /// The operand whose value was not known where it stands.
    pub(crate) symbolic: Option<Symbolic>,
}

/// An operand by a name.
#[derive(Clone, Debug)]
pub(crate) struct Symbolic {
    /// As it was written.
    pub written: String,
    /// The instruction with a number for it that stands nowhere else.
    pub template: Inst,
    /// Whether only a linker knows its value.
    pub linked: bool,
}

impl Line {
    /// The 4 or 8 bytes of the instruction, in the order of memory.
    pub fn bytes(&self) -> &[u8] {
        self.code.as_bytes()
    }

    /// The operand that a linker has to fill in, as it was written: its bytes are 0.
    pub fn waits_for(&self) -> Option<&str> {
        let symbolic = self.symbolic.as_ref().filter(|symbolic| symbolic.linked);
        symbolic.map(|symbolic| &*symbolic.written)
    }

    /// Writes its canonical text; an operand whose value was not known where it stands as it was written.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn print(&self, dialect: Dialect, out: &mut impl fmt::Write) -> fmt::Result {
        let Some(Symbolic {
            written, template, ..
        }) = &self.symbolic
        else {
            return print_at(&self.inst, dialect, self.address, out);
        };
        let mut text = String::new();
        print_at(template, dialect, self.address, &mut text)?;
        // Where the number stands that is in its place: after the last blank of a branch, else as hexadecimal.
        let placeholder = format!("{:#x}", LITERAL);
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
