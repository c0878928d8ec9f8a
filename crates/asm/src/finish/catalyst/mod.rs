//! Output of programs for AMD's Catalyst (OpenCL 1.2), from the settings of their kernels.
//!
//! Source: CLRX's documentation, "CLRadeonExtender Assembler AMD Catalyst handling", and CLRX's output for drivers from 1348.5
//! on.

mod facts;
mod metadata_text;
mod notes;
mod raw;

use wavetank_object::catalyst::{self, PRODUCTS, Program};

use crate::assembly::Container;
use crate::errors::LineError;
use crate::session::Session;
use crate::session::program::{CatalystArgument as Argument, Config, Kernel, Waiting};
use crate::state::{Key, Layout, SectionId};
use facts::Facts;

/// The oldest driver version that programs are written for.
const OLDEST: i64 = 134_805;
/// Driver versions at which the text and the header change.
const PRINTF_ALWAYS: i64 = 152_603;
const STRUCTURES_ONLY: i64 = 159_805;
const PRIVATE_IN_HEADER: i64 = 164_205;
/// Bytes of a kernel's data section, in which kernels of other chips have constants.
const DATA: usize = 4736;
/// Bytes of LDS of a kernel with pointers to LDS.
const WHOLE_LDS: i64 = 32_768;
/// The number that identifies the first kernel.
const FIRST: usize = 1024;

impl Session<'_> {
    /// Makes the program of all kernels, except for their code.
    pub(super) fn finish_catalyst(&mut self, kernels: Vec<Kernel>) {
        let place = kernels[0].place.clone();
        let chip = self.asm.chip.name();
        let named = |name: &String| {
            PRODUCTS
                .iter()
                .position(|p| p.name == name && p.chip == chip)
        };
        let product = self.program.product.as_ref().and_then(named);
        let product = product.or_else(|| PRODUCTS.iter().position(|p| p.chip == chip));
        let Some(product) = product else {
            let message = format!(
                "AMD's Catalyst has no programs of OpenCL 1.2, which is CLRX's format where nothing is said, for {chip}: \
                 name a chip of gfx6 to gfx8, as `.gpu Fiji`, or say `.rocm`"
            );
            return self.asm.report(place.line_error(message));
        };
        if self.program.driver < OLDEST {
            let message =
                "programs are written for drivers from 1348.5 on (`.driver_version 134805`)";
            return self.asm.report(place.line_error(message));
        }
        let mut waiting = Waiting {
            program: Program {
                product,
                wide: self.program.wide,
                driver: self.driver_text().into_bytes(),
                ..Program::default()
            },
            sections: Vec::new(),
        };
        for (n, kernel) in kernels.into_iter().enumerate() {
            match self.finish_kernel_of(kernel, n, product) {
                Ok((kernel, section)) => {
                    waiting.program.kernels.push(kernel);
                    waiting.sections.push(section);
                }
                Err(error) => self.asm.report(*error),
            }
        }
        self.program.catalyst = Some(waiting);
    }

    fn driver_text(&self) -> String {
        let (major, minor) = (self.program.driver / 100, self.program.driver % 100);
        let version = format!("{major}.{minor}");
        format!("@(#) OpenCL 1.2 AMD-APP ({version}).  Driver version: {version} (VM)")
    }

    /// Makes the text and the notes of a kernel; returns the section of its code.
    fn finish_kernel_of(
        &mut self,
        mut kernel: Kernel,
        number: usize,
        product: usize,
    ) -> Result<(catalyst::Kernel, SectionId), Box<LineError>> {
        let place = kernel.place.clone();
        let error = |message: String| Box::new(place.line_error(message));
        let name = kernel.name.to_string();
        let Some(location) = kernel.location else {
            return Err(error(format!(
                "the kernel has no code: say `.text` after `{name}`"
            )));
        };
        let written = self.written(&kernel).map_err(error)?;
        let config = match (kernel.config.take(), written) {
            (Some(config), None) => config,
            (None, Some(made)) => return Ok((made, location.section)),
            (None, None) => return Err(error(format!("`{name}` has no `.config`"))),
            (Some(_), Some(_)) => {
                let message = format!("`{name}` has `.config` and notes: one says it all");
                return Err(error(message));
            }
        };
        let facts = self.facts(kernel, config, number, product).map_err(error)?;
        let made = catalyst::Kernel {
            name,
            metadata: facts.text().into_bytes(),
            header: facts.header(),
            notes: facts.notes(),
            data: vec![0; DATA],
            code: Vec::new(),
        };
        Ok((made, location.section))
    }

    /// Collects the values for the text and the notes of a kernel.
    fn facts(
        &self,
        kernel: Kernel,
        mut config: Config,
        number: usize,
        product: usize,
    ) -> Result<Facts, String> {
        let settings = kernel.catalyst;
        let resources = settings.numbers()?;
        let local = config.value("workgroup_group_segment_byte_size");
        let filled = settings.user.iter().map(|[.., first, count]| first + count);
        let filled = filled.max().filter(|count| *count > 0);
        config.put("user_sgpr_count", filled.unwrap_or(2).into());
        if settings.args.iter().any(Argument::is_local) {
            config.put("workgroup_group_segment_byte_size", WHOLE_LDS);
        }
        let [rsrc1, rsrc2] = config.words(&kernel.counts, self.asm.chip)?;
        let (sgprs, vgprs) = config.named(&kernel.counts);
        let (major, ..) = crate::isa_version(self.asm.chip);
        Ok(Facts {
            name: kernel.name.to_string(),
            product,
            wide: self.program.wide,
            has_constants: self.constants().is_some(),
            settings,
            resources,
            driver: self.program.driver,
            identity: FIRST + number,
            local: local as u32,
            scratch: config.value("workitem_private_segment_byte_size") as u32,
            group: kernel.metadata.sizes("ReqdWorkGroupSize"),
            vgprs: vgprs as u32,
            sgprs: sgprs as u32,
            // VCC is not included.
            most_sgprs: if major >= 8 { 100 } else { 102 },
            float_mode: rsrc1 >> 12 & 0xff,
            ieee_mode: rsrc1 >> 23 & 1,
            rsrc2,
        })
    }

    /// Returns the section of constants, if there is one.
    fn constants(&self) -> Option<SectionId> {
        let key = Key {
            name: ".rodata".into(),
            group: None,
            unique: None,
            subsection: 0,
        };
        let at = self
            .asm
            .sections
            .iter()
            .position(|section| section.key == key);
        at.map(|at| SectionId(at as u32))
    }

    /// Returns the finished program. `complete` says that no linker has to fill in anything; otherwise an error is reported.
    pub(super) fn catalyst(&mut self, layout: &Layout, complete: bool) -> Option<Container> {
        let Waiting {
            mut program,
            sections,
        } = self.program.catalyst.take()?;
        if !complete {
            self.asm.report(LineError::of_source(
                "the code or the constants have the address of a label, which is not known before AMD's Catalyst loads a program: \
                 kernels read their constants by a buffer (`.useconstdata`)",
            ));
        }
        for (kernel, section) in program.kernels.iter_mut().zip(sections) {
            kernel.code = layout.bytes(&self.asm.sections, section).0;
        }
        let constants = self.constants();
        program.constants = constants.map(|id| layout.bytes(&self.asm.sections, id).0);
        Some(Container::Catalyst(Box::new(program)))
    }
}
