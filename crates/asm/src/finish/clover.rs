//! Output for Mesa's Clover: the section `.AMDGPU.config` with pairs of register and value for each kernel, and the container that
//! lists the kernels beside the ELF file.

use wavetank_link::elf::*;
use wavetank_object::clover::{Argument, Listed};

use crate::assembly::Container;
use crate::errors::LineError;
use crate::session::Session;
use crate::session::program::{Config, Found, Kernel, REGISTERS};
use crate::state::{Key, Layout, SectionId};

/// From LLVM 3.9 on, `.AMDGPU.config` also lists spilled registers.
const SPILLS: i64 = 30_900;
/// From LLVM 4.0 on, a header precedes the code of a kernel.
const HSA: i64 = 40_000;

/// The unit of COMPUTE_TMPRING_SIZE.WAVESIZE (24:12) in bytes, for a wave of 64 work-items.
const WAVE_GRANULE: u64 = 1024;

/// The default number of user SGPRs: the addresses of the arguments and of scratch.
const USERS: i64 = 4;

/// The alignment of kernels in bytes.
const ALIGN: u64 = 256;

impl Session<'_> {
    /// Writes the register settings of all kernels to `.AMDGPU.config`, and keeps the list of kernels for the program.
    pub(super) fn finish_clover(&mut self, mut kernels: Vec<Kernel>) {
        let configs = || kernels.iter().filter_map(|kernel| kernel.config.as_ref());
        let needs = configs().find_map(Config::needs_hsa);
        let hsa = match (self.program.llvm, needs) {
            (Some(version), Some(field)) if version < HSA => {
                let message = format!(
                    "`{field}` is a setting of LLVM 4.0 and later: say `.llvm_version 40000`"
                );
                return self.asm.report(kernels[0].place.line_error(message));
            }
            (Some(version), _) => version >= HSA,
            (None, needs) => needs.is_some(),
        };
        let written = |kernel: &Kernel| kernel.registers.as_ref().map_or(0, Vec::len);
        let spills = match self.program.llvm {
            Some(version) => version >= SPILLS,
            None => hsa || kernels.iter().any(|kernel| written(kernel) > 3),
        };
        let registers = &REGISTERS[..if spills { 5 } else { 3 }];
        let mut found = Vec::new();
        for kernel in &mut kernels {
            match self.finish_listed(kernel, hsa, registers) {
                Ok(one) => found.push(one),
                Err(error) => self.asm.report(*error),
            }
        }
        found.sort_by_key(|one| (one.location.fragment, one.location.offset));
        self.write_registers(&found);
        self.notes.os = if hsa {
            wavetank_link::Os::Mesa3d
        } else {
            wavetank_link::Os::None
        };
        self.program.found = found;
    }

    /// Finds the code of a kernel, and computes the values of its registers.
    fn finish_listed(
        &mut self,
        kernel: &mut Kernel,
        hsa: bool,
        registers: &[u32],
    ) -> Result<Found, Box<LineError>> {
        let name = kernel.name.to_string();
        let listed = Listed {
            offset: 0,
            args: std::mem::take(&mut kernel.listed),
            name: name.clone(),
        };
        let values = self
            .register_values(kernel, &listed, hsa, registers)
            .map_err(|message| Box::new(kernel.place.line_error(message)))?;
        let (place, location) = if hsa {
            (kernel.place.clone(), self.finish_kernel(kernel)?)
        } else {
            (kernel.place.clone(), self.code_of_kernel(kernel, STT_FUNC)?)
        };
        if location.section != SectionId(0) {
            return Err(Box::new(place.line_error(format!(
                "the code of `{name}` stands in another section than `.text`"
            ))));
        }
        Ok(Found {
            listed,
            location,
            registers: values,
            place,
        })
    }

    /// Returns the values of registers, taken from `.proginfo`, or computed from `.config` and the code.
    fn register_values(
        &self,
        kernel: &mut Kernel,
        listed: &Listed,
        hsa: bool,
        registers: &[u32],
    ) -> Result<Vec<[u32; 2]>, String> {
        let name = &listed.name;
        let config = match (kernel.config.take(), kernel.registers.take()) {
            (Some(_), Some(_)) => {
                return Err(format!(
                    "`{name}` has `.config` and `.proginfo`: one says it all"
                ));
            }
            (None, Some(values)) if values.len() == registers.len() => return Ok(values),
            (None, Some(values)) => {
                let (count, all) = (values.len(), registers.len());
                return Err(format!(
                    "`.proginfo` of `{name}` has {count} entries, not {all}"
                ));
            }
            (config, None) => config,
        };
        let mut config = config.unwrap_or_default();
        config.arguments = bytes_of(&listed.args);
        if !hsa {
            config.default_users(USERS);
        }
        let spilled = ["NumSpilledSGPRs", "NumSpilledVGPRs"];
        let spilled = spilled.map(|key| kernel.metadata.number(key) as u32);
        let words = config.words(&kernel.counts, self.asm.chip)?;
        let values = [words[0], words[1], tmpring(&config), spilled[0], spilled[1]];
        kernel.config = Some(config.with_overrides());
        let pairs = registers.iter().zip(values);
        Ok(pairs.map(|(register, value)| [*register, value]).collect())
    }

    fn write_registers(&mut self, found: &[Found]) {
        let key = Key {
            name: ".AMDGPU.config".into(),
            group: None,
            unique: None,
            subsection: 0,
        };
        let pairs = found.iter().flat_map(|one| &one.registers);
        let bytes: Vec<u8> = pairs
            .flatten()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let (id, _) = self.asm.sections.get(&key, SHT_PROGBITS, 0, 0);
        self.asm.sections.switch(id);
        if let Err(error) = self.asm.append(&bytes) {
            self.asm.report(LineError::of_source(error));
        }
    }

    /// Returns the container that lists the kernels beside the object.
    pub(super) fn clover(&mut self, layout: &Layout) -> Option<Container> {
        if self.program.found.is_empty() {
            return None;
        }
        let mut kernels = Vec::new();
        for Found {
            mut listed,
            location,
            place,
            ..
        } in std::mem::take(&mut self.program.found)
        {
            let offset = layout.offset(location);
            if !offset.is_multiple_of(ALIGN) {
                let message = format!(
                    "the code of `{}` begins at {offset:#x}: kernels begin at multiples of 256, so say `.p2align 8`",
                    listed.name
                );
                self.asm.report(place.line_error(message));
            }
            // Fits, because sections have 256 megabytes at most.
            listed.offset = offset as u32;
            kernels.push(listed);
        }
        let mesa = self.program.driver.max(0) as u64;
        Some(Container::Clover { kernels, mesa })
    }
}

/// Computes the value of COMPUTE_TMPRING_SIZE.
fn tmpring(config: &Config) -> u32 {
    let bytes = u64::from(config.value("workitem_private_segment_byte_size") as u32);
    let granules = (bytes * 64).div_ceil(WAVE_GRANULE);
    (granules.min(0x1fff) as u32) << 12
}

/// Returns the bytes of the arguments. An offset of the grid consists of three values.
fn bytes_of(args: &[Argument]) -> u64 {
    let each = args.iter().flat_map(|arg| {
        let times = if arg.meaning == 2 { 3 } else { 1 };
        std::iter::repeat_n(arg, times)
    });
    each.fold(0, |at: u64, arg| {
        at.next_multiple_of(arg.align.into()) + u64::from(arg.target_size)
    })
}
