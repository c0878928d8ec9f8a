//! Bundles as text: SUATOMs as instructions, other words by offset and in hexadecimal.

use std::fmt::{self, Write};

use crate::maxwell::bundle::Bundle;
use crate::maxwell::control::Control;
use crate::maxwell::decode::decode;
use crate::maxwell::generation::Generation;
use crate::maxwell::text::print;

/// The column at which the offset stands.
const OFFSET_COLUMN: usize = 64;

/// Returns the text of an instruction word: a SUATOM, or `.word` with its bits.
///
/// ```
/// use wavetank_surface_isa::maxwell::{Control, Generation, shown};
/// assert_eq!(shown(0xe300_0000_0007_000f, Control::NONE, Generation::Sm52), ".word 0xe30000000007000f;");
/// ```
pub fn shown(word: u64, control: Control, generation: Generation) -> String {
    match decode(word, generation) {
        Ok(inst) => print(&inst, control),
        Err(_) => format!(".word {word:#018x}{control};"),
    }
}

/// A listing of bundles from offset 0 on, one line each: text, then offset and word. [`source`](crate::maxwell::source()) reads
/// it and makes the same words, except for bits without meaning. It refuses instructions that break a rule, which the listing
/// shows. Bit 63 of a control word and bytes after the last bundle are in comments.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    /// The bundles.
    pub code: &'a [u8],
    /// The generation by which SUATOMs are decoded.
    pub generation: Generation,
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bundles = self.code.chunks_exact(Bundle::SIZE);
        let rest = bundles.remainder();
        for (n, bytes) in bundles.enumerate() {
            let start = n * Bundle::SIZE;
            // The chunks have this length.
            let Ok(bytes) = bytes.try_into() else {
                continue;
            };
            self.bundle(&Bundle::of_bytes(bytes), start, f)?;
        }
        if !rest.is_empty() {
            let start = self.code.len() - rest.len();
            write!(f, "// {start:04x}: {} bytes are not a bundle:", rest.len())?;
            rest.iter().try_for_each(|byte| write!(f, " {byte:02x}"))?;
            f.write_char('\n')?;
        }
        Ok(())
    }
}

impl Listing<'_> {
    fn bundle(&self, bundle: &Bundle, start: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if bundle.control >> 63 != 0 {
            writeln!(
                f,
                "// {start:04x}: bit 63 of the control word {:016x} is set",
                bundle.control
            )?;
        }
        for (n, (word, control)) in bundle.words.into_iter().zip(bundle.controls()).enumerate() {
            let text = shown(word, control, self.generation);
            let offset = start + 8 * (n + 1);
            writeln!(f, "\t{text:OFFSET_COLUMN$} // {offset:04x}: {word:016x}")?;
        }
        Ok(())
    }
}
