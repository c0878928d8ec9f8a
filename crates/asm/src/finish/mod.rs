//! The end of a source: sections are laid out, and fixups are resolved or turned into relocations.

mod aliases;
mod catalyst;
mod clover;
mod line_table;
mod metadata_v2;
mod object;
mod program;
mod signatures;
mod unit;

use wavetank_quote::plain;

use crate::assembler::{Resolution, too_large};
use crate::errors::LineError;
use crate::expression::{Base, Values};
use crate::session::Session;
use crate::state::{Layout, SectionId, TooLarge};

impl Session<'_> {
    /// Takes the errors found so far.
    pub(crate) fn take_errors(&mut self) -> Vec<LineError> {
        std::mem::take(&mut self.asm.errors)
    }

    /// Resolves all fixups. Those that only a linker can resolve are returned by section.
    ///
    /// # Errors
    /// Errors are kept with the others.
    pub(crate) fn resolve_fixups(&mut self, layout: &Layout) -> Vec<Vec<(u64, u32, Base, i64)>> {
        let mut left: Vec<Vec<_>> = (0..self.asm.sections.len()).map(|_| Vec::new()).collect();
        for kernel in std::mem::take(&mut self.kernels) {
            let values = Values {
                symbols: &self.asm.symbols,
                layout: Some(layout),
            };
            match kernel.bytes(values, &self.asm.target) {
                Ok(bytes) => {
                    if let Some(place) = self.asm.sections.bytes_at(kernel.location, bytes.len()) {
                        place.copy_from_slice(&bytes);
                    }
                }
                Err(error) => self.asm.errors.push(*error),
            }
        }
        for fixup in std::mem::take(&mut self.asm.fixups) {
            if self.asm.errors.len() >= self.max_errors {
                break;
            }
            let resolution = self.asm.resolve(&fixup, layout);
            match resolution {
                Ok(Resolution::Done) => {}
                Ok(Resolution::Relocation { .. }) if self.alone => {
                    if self.asm.sections.section(fixup.location.section).is_code() {
                        let message = "only a linker knows this address: plain code has no linker";
                        self.asm.errors.push(fixup.place.line_error(message));
                    }
                }
                Ok(Resolution::Relocation { kind, base, addend }) => {
                    let offset = layout.offset(fixup.location);
                    left[fixup.location.section.0 as usize].push((offset, kind, base, addend));
                }
                Err(why) => self.asm.errors.push(fixup.place.line_error(why)),
            }
        }
        left
    }

    /// Returns the bytes of the section that has code.
    ///
    /// # Errors
    /// Values that only a linker can compute, and code in several sections. The errors are kept with the others.
    pub(crate) fn code(&mut self) -> Vec<u8> {
        self.finish_code();
        self.name_sections();
        let layout = self.asm.layout();
        self.alone = true;
        self.resolve_fixups(&layout);
        if layout.is_too_large(&self.asm.sections) {
            self.asm
                .errors
                .push(LineError::of_source(too_large(TooLarge).message));
            return Vec::new();
        }
        let sections = self.asm.sections.iter().zip((0..).map(SectionId));
        let parts: Vec<_> = sections
            .filter(|(section, id)| section.is_code() && layout.home_of(*id) == *id)
            .map(|(section, id)| (&section.key.name, layout.bytes(&self.asm.sections, id).0))
            .filter(|(_, bytes)| !bytes.is_empty())
            .collect();
        match parts.as_slice() {
            [] => Vec::new(),
            [(_, bytes)] => bytes.clone(),
            [(first, _), (second, _), ..] => {
                let message = format!(
                    "there is code in several sections, `{}` and `{}`: a linker puts them together",
                    plain(first),
                    plain(second)
                );
                self.asm.errors.push(LineError::of_source(message));
                Vec::new()
            }
        }
    }
}
