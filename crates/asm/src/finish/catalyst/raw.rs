//! Kernels given byte by byte in the source, as CLRX's disassembler writes them.

use wavetank_object::catalyst;

use super::DATA;
use crate::session::Session;
use crate::session::program::{Kernel, Part};
use crate::state::SectionId;

/// Bytes of a kernel's header.
const HEADER: usize = 32;

impl Session<'_> {
    /// Returns the kernel with header, metadata, notes and data taken verbatim from the source, without code; `None` if it has neither
    /// notes nor metadata.
    pub(super) fn written(&self, kernel: &Kernel) -> Result<Option<catalyst::Kernel>, String> {
        let name = kernel.name.to_string();
        let part = |part| self.part_of(kernel, part);
        let metadata = part(Part::Metadata);
        if kernel.notes.is_empty() && metadata.is_none() {
            return Ok(None);
        }
        let header = part(Part::Header).unwrap_or_default();
        if metadata.is_none() || header.len() != HEADER {
            let has = match metadata {
                Some(_) => "`.metadata`",
                None => "notes",
            };
            return Err(format!(
                "`{name}` has {has}: it needs `.metadata`, and {HEADER} bytes of `.header`, not {}",
                header.len()
            ));
        }
        let bytes = |id: SectionId| self.asm.sections.section(id).known_bytes().to_vec();
        let notes = kernel.notes.iter().map(|(kind, id)| (*kind, bytes(*id)));
        Ok(Some(catalyst::Kernel {
            name,
            metadata: metadata.unwrap_or_default(),
            header,
            notes: notes.collect(),
            data: part(Part::Data).unwrap_or_else(|| vec![0; DATA]),
            code: Vec::new(),
        }))
    }
}
