//! Kernels given by signatures: their code is found in the source, and directives for them are generated and read.

use wavetank_gcn::numbers::lds_of_group;
use wavetank_gcn::{Dialect, ParseError};
use wavetank_link::elf::STB_GLOBAL;
use wavetank_object::Feature;
use wavetank_quote::similar;

use crate::errors::{FilePlace, LineError};
use crate::expression::{Binary, Expr, Variant};
use crate::kernel::extra_sgprs;
use crate::session::{Handlers, KERNEL_ALIGN, Session};
use crate::signature::{Needs, Signature, directives};
use crate::source::{OriginKind, Repeat, SyntaxError, syntax_error};
use crate::state::{Definition, Location, SectionId, SymbolId};

/// `.text`, the first section of every source.
const TEXT: SectionId = SectionId(0);

impl Session<'_> {
    /// Adds descriptors and metadata of the signatures after the source has been read. `handlers` are the directives of LLVM's
    /// dialect.
    pub(crate) fn add_kernels(&mut self, handlers: &'static Handlers) {
        let kernels = self.signatures;
        if kernels.is_empty() {
            return;
        }
        let before = self.asm.errors.len();
        for (n, kernel) in kernels.iter().enumerate() {
            let found = self.find_kernel(kernel, &kernels[..n]);
            if let Err(error) = found.and_then(|()| self.fits(kernel)) {
                self.asm.errors.push(of_signature(kernel, *error));
            }
        }
        if self.asm.errors.len() > before {
            return;
        }
        self.size_kernels();
        let text = directives(kernels, &self.needs());
        // The source's conditions and its `.end` do not apply to these lines.
        self.asm.dialect = Dialect::Llvm;
        self.handlers = handlers;
        self.ended = false;
        // No text is open any more, so this one is not nested too deeply.
        let _ = self
            .inputs
            .push(OriginKind::Signatures, text.into(), None, Repeat::Once, 0);
        self.read();
    }

    /// Finds the code of a kernel by its label, or at the beginning of a source that starts without a label.
    fn find_kernel(&mut self, kernel: &Signature, others: &[Signature]) -> Result<(), SyntaxError> {
        let name = &kernel.name;
        let descriptor = self.asm.symbols.find(&format!("{name}.kd"));
        let there = descriptor.is_some_and(|id| self.asm.symbols[id].is_defined());
        if there || others.iter().any(|other| other.name == *name) {
            let message = format!("there is another kernel `{name}`");
            return Err(syntax_error(kernel.named.clone(), message));
        }
        let id = self.asm.symbols.id(name);
        match self.asm.symbols[id].definition {
            Definition::Label(_) => {}
            Definition::Undefined if self.begins_without_label() => {
                let start = Location {
                    section: TEXT,
                    fragment: 0,
                    offset: 0,
                };
                self.asm.symbols[id].definition = Definition::Label(start);
                self.asm.sections.switch(TEXT);
                self.asm.sections.align_at_least(KERNEL_ALIGN);
            }
            Definition::Undefined => return Err(self.no_kernel(kernel)),
            _ => {
                let message = format!("`{name}` is not a label of the source");
                return Err(syntax_error(kernel.named.clone(), message));
            }
        }
        self.asm.symbols[id].binding = Some(STB_GLOBAL);
        Ok(())
    }

    fn begins_without_label(&self) -> bool {
        let start = |location: &Location| {
            location.section == TEXT && (location.fragment, location.offset) == (0, 0)
        };
        let mut named = self.asm.symbols.iter().filter(|(_, s)| !s.is_temporary());
        !named.any(|(_, s)| matches!(&s.definition, Definition::Label(location) if start(location)))
    }

    fn no_kernel(&self, kernel: &Signature) -> SyntaxError {
        let labels = self.asm.symbols.iter().filter(|(_, s)| !s.is_temporary());
        let labels = labels.filter(|(_, s)| matches!(s.definition, Definition::Label(_)));
        let (near, meant) = similar(&kernel.name, labels.map(|(_, s)| s.written()));
        let message = format!("the source has no label `{}`", kernel.name);
        let mut error = syntax_error(kernel.named.clone(), message);
        error.help = near
            .first()
            .filter(|_| meant)
            .map(|name| format!("did you mean `{name}`?"));
        error
    }

    /// Checks that the chip supports a kernel's signature.
    fn fits(&self, kernel: &Signature) -> Result<(), SyntaxError> {
        if self.notes.version == 2 {
            let message = "code objects of version 2 have other kernels: write `.amd_kernel_code_t`, or take version 3 to 6";
            return Err(syntax_error(kernel.named.clone(), message));
        }
        if !self.notes.entries.is_empty() {
            let message = "the source has metadata already: its kernels and this one need to be described in one way";
            return Err(syntax_error(kernel.named.clone(), message));
        }
        let most = lds_of_group(self.asm.chip.generation());
        let (bytes, place) = &kernel.lds;
        if *bytes > most {
            let chip = self.asm.chip.name();
            let message =
                format!("a work-group of {chip} has {most} bytes of LDS at most, not {bytes}");
            Err(syntax_error(place.clone(), message))
        } else {
            Ok(())
        }
    }

    /// Sets the sizes of kernels: each extends to the next one, or to the end of its section.
    fn size_kernels(&mut self) {
        let kernels = self.signatures.iter();
        let ids: Vec<SymbolId> = kernels
            .filter_map(|k| self.asm.symbols.find(&k.name))
            .collect();
        let starts = ids
            .iter()
            .filter_map(|id| match self.asm.symbols[*id].definition {
                Definition::Label(location) => Some(location),
                _ => None,
            });
        let starts: Vec<Location> = starts.collect();
        for (id, start) in ids.iter().zip(&starts) {
            if self.asm.symbols[*id].size.is_some() {
                continue;
            }
            let later = starts.iter().filter(|s| s.section == start.section);
            let later = later.filter(|s| (s.fragment, s.offset) > (start.fragment, start.offset));
            let next = later.min_by_key(|s| (s.fragment, s.offset)).copied();
            let end = next.unwrap_or_else(|| {
                self.asm.sections.switch(start.section);
                self.asm.sections.location()
            });
            let ends = [Expr::Place(end), Expr::Symbol(*id, Variant::None)];
            self.asm.symbols[*id].size = Some(Expr::Binary(Binary::Sub, Box::new(ends)));
        }
    }

    /// Returns the resources of the code: its registers up to the highest that an instruction names.
    fn needs(&self) -> Needs<'_> {
        let counts = self.asm.counts.source.unwrap_or_default();
        let (target, version) = (&self.asm.target, self.notes.version);
        let major = target.major();
        let xnack = major >= 8 && target.has_xnack() && target.xnack != Feature::Off;
        // Counted on gfx6 as well, which has no flat accesses, as LLVM does.
        let flat_scratch = counts.flat_scratch || major < 7;
        Needs {
            target,
            version,
            vgprs: counts.vgprs,
            agprs: counts.agprs,
            sgprs: counts.sgprs,
            vcc: counts.vcc,
            flat_scratch,
            extra_sgprs: extra_sgprs(major, counts.vcc, flat_scratch, xnack) as u32,
        }
    }
}

fn of_signature(kernel: &Signature, error: ParseError) -> LineError {
    LineError {
        file: Some(OriginKind::SIGNATURES.to_owned()),
        number: 1,
        text: kernel.text.clone(),
        error,
        around: Vec::new(),
        place: FilePlace {
            file: OriginKind::SIGNATURES.to_owned(),
            ..FilePlace::first()
        },
        users: Vec::new(),
    }
}
