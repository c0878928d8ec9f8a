//! The end of a source with kernels of CLRX's formats: output of settings and metadata.

use wavetank_gcn::Dialect;
use wavetank_link::elf::*;
use wavetank_link::reloc;
use wavetank_object::{KERNEL_CODE_SIZE, note};

use super::metadata_v2::text_of;
use crate::assembly::Container;
use crate::errors::LineError;
use crate::session::program::{Format, Kernel, Part};
use crate::session::{KERNEL_ALIGN, Session};
use crate::state::{Definition, Layout, Location, SectionId, SymbolId};

impl Session<'_> {
    /// Writes the settings and metadata of all kernels.
    pub(crate) fn finish_program(&mut self) {
        let mut kernels = std::mem::take(&mut self.program.kernels);
        if kernels.is_empty() {
            return;
        }
        for (kernel, counts) in kernels.iter_mut().zip(&self.asm.counts.kernels) {
            kernel.counts = *counts;
        }
        match self.program.format {
            Format::Raw => {}
            Format::Amd => self.finish_catalyst(kernels),
            Format::Gallium => self.finish_clover(kernels),
            Format::Rocm | Format::AmdCl2 => self.finish_code_object(&kernels),
        }
    }

    /// Writes the settings that stand in the code itself; programs for AMD Catalyst have none.
    pub(crate) fn finish_code(&mut self) {
        if self.program.format != Format::Amd {
            self.finish_program();
        }
    }

    /// Exports a symbol whose address is used in halves, because a linker leaves such relocations to the loader.
    pub(crate) fn export_for(&mut self, kind: u32, id: SymbolId) {
        let linked = matches!(self.program.format, Format::Rocm | Format::AmdCl2);
        let half = matches!(kind, reloc::ABS32_LO | reloc::ABS32_HI);
        if linked && half && self.asm.dialect == Dialect::Clrx && self.asm.symbols[id].is_defined()
        {
            self.asm.symbols[id].binding.get_or_insert(STB_GLOBAL);
        }
    }

    /// Returns the container that a driver expects around the object. With `complete`, no linker has to fill in anything.
    pub(crate) fn container(&mut self, layout: &Layout, complete: bool) -> Option<Container> {
        match self.program.format {
            Format::Gallium => self.clover(layout),
            Format::Amd => self.catalyst(layout, complete),
            _ => None,
        }
    }

    /// Writes the settings and metadata of a code object's kernels.
    fn finish_code_object(&mut self, kernels: &[Kernel]) {
        for kernel in kernels {
            if let Err(error) = self.finish_kernel(kernel) {
                self.asm.report(*error);
            }
        }
        let numbers: [u32; 3] = crate::isa_version(self.asm.chip).into();
        self.notes.version = 2;
        let version = note::code_object_version(1, 0);
        self.notes.entries.extend(version);
        let isa = note::isa_version(numbers, "AMD", "AMDGPU");
        self.notes.entries.extend(isa);
        let written = self.program.metadata.section;
        let text = match written.and_then(|id| self.hidden_bytes(id)) {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => text_of(&self.program.metadata, kernels, self.asm.chip),
        };
        match note::metadata_v2(&text) {
            Ok(note) => self.notes.entries.extend(note),
            Err(why) => self.asm.report(kernels[0].place.line_error(why)),
        }
    }

    /// Finds the code of a kernel, and gives its label a symbol type.
    pub(super) fn code_of_kernel(
        &mut self,
        kernel: &Kernel,
        kind: u8,
    ) -> Result<Location, Box<LineError>> {
        let name = &kernel.name;
        let id = self.asm.symbols.id(name);
        let symbol = &mut self.asm.symbols[id];
        let Definition::Label(location) = symbol.definition else {
            let message = format!("the kernel has no code: there is no label `{name}`");
            return Err(Box::new(kernel.place.line_error(message)));
        };
        symbol.binding = Some(STB_GLOBAL);
        symbol.kind = kind;
        self.asm
            .sections
            .align_section_at_least(location.section, KERNEL_ALIGN);
        Ok(location)
    }

    /// Writes the settings of a kernel before its code; returns the location of the code.
    pub(super) fn finish_kernel(&mut self, kernel: &Kernel) -> Result<Location, Box<LineError>> {
        let error = |message: String| Box::new(kernel.place.line_error(message));
        let name = &kernel.name;
        let kind = if kernel.function {
            STT_FUNC
        } else {
            STT_AMDGPU_HSA_KERNEL
        };
        let location = self.code_of_kernel(kernel, kind)?;
        let setup = self.part_of(kernel, Part::Setup);
        let bytes = match (&kernel.config, setup) {
            (_, Some(bytes)) => bytes,
            (Some(config), None) => {
                let mut bytes = config
                    .bytes(&kernel.counts, self.asm.chip)
                    .map_err(error)?
                    .to_vec();
                if let Some(control) = self.part_of(kernel, Part::Control) {
                    let end = control.len().min(128);
                    bytes[128..128 + end].copy_from_slice(&control[..end]);
                }
                bytes
            }
            // The settings stand in the code already.
            (None, None) => return Ok(location),
        };
        match self.asm.sections.bytes_at(location, KERNEL_CODE_SIZE) {
            Some(place) if bytes.len() == KERNEL_CODE_SIZE => place.copy_from_slice(&bytes),
            Some(_) => return Err(error("`.setup` has 256 bytes".to_owned())),
            None => {
                let message = format!("`.skip 256` has to follow the label `{name}`");
                return Err(error(message));
            }
        }
        Ok(location)
    }

    pub(super) fn part_of(&self, kernel: &Kernel, part: Part) -> Option<Vec<u8>> {
        let (_, id) = kernel.parts.iter().find(|(kind, _)| *kind == part)?;
        self.hidden_bytes(*id)
    }

    fn hidden_bytes(&self, id: SectionId) -> Option<Vec<u8>> {
        let bytes = self.asm.sections.section(id).known_bytes();
        Some(bytes.to_vec()).filter(|bytes| !bytes.is_empty())
    }
}
