//! Kernels for Mesa's Clover: their arguments, and what registers are to be set to.
//!
//! Source: CLRX's documentation, "CLRadeonExtender Assembler Gallium handling" and "Gallium ABI description"; LLVM's
//! `.AMDGPU.config` as it writes it.

use wavetank_link::elf::*;
use wavetank_object::clover::{Argument, KINDS, Listed, MEANINGS};

use super::super::{Handler, row};
use super::config::{self, Config};
use super::kernel::Kernel;
use crate::assemble::Container;
use crate::assembler::Assembler;
use crate::errors::LineError;
use crate::source::{Cursor, Wrong, wrong};
use crate::state::{Key, Layout, Place, SectionId, Spot};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".hsa_debugmode", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_dims", |a, c| for_hsa(a, c, config::dims)),
    row(".hsa_dx10clamp", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_exceptions", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_floatmode", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_ieeemode", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_localsize", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_pgmrsrc1", |a, c| for_hsa(a, c, config::rsrc1)),
    row(".hsa_pgmrsrc2", |a, c| for_hsa(a, c, config::rsrc2)),
    row(".hsa_priority", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_privmode", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_scratchbuffer", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_sgprsnum", |a, c| for_hsa(a, c, config::sgprs)),
    row(".hsa_tgsize", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_userdatanum", |a, c| for_hsa(a, c, config::one)),
    row(".hsa_vgprsnum", |a, c| for_hsa(a, c, config::vgprs)),
    row(".scratchsym", scratch_symbol),
];

/// The versions of LLVM from which on spilled registers are said, and settings stand before the code.
const SPILLS: i64 = 30_900;
const HSA: i64 = 40_000;

/// The registers that are said: COMPUTE_PGM_RSRC1 and 2, COMPUTE_TMPRING_SIZE, and LLVM's own numbers for spilled SGPRs and
/// VGPRs.
const REGISTERS: [u32; 5] = [0xb848, 0xb84c, 0xb860, 4, 8];

/// COMPUTE_TMPRING_SIZE.WAVESIZE, 24:12, counts these bytes of a wave of 64 work-items.
const WAVE_GRANULE: u64 = 1024;

/// User SGPRs where nothing is said: the addresses of the arguments and of scratch.
const USERS: i64 = 4;

/// The alignment of kernels.
const ALIGN: u64 = 256;

/// Bytes that an argument has at most.
const LARGEST: u64 = 1 << 20;

/// Arguments that a kernel has at most.
const MOST: usize = 4096;

/// A kernel whose code has been found.
#[derive(Debug)]
pub(super) struct Found {
    listed: Listed,
    spot: Spot,
    registers: Vec<[u32; 2]>,
    place: Place,
}

/// `.arg KIND, SIZE, TARGETSIZE, ALIGNMENT, zext|sext, MEANING`; `.arg griddim` and `.arg gridoffset` say all of it.
pub(super) fn argument(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let place = cursor.span();
    let word = cursor.piece().to_ascii_lowercase();
    // CLRX's documentation writes it so, too.
    let word = if word == "contant" { "constant" } else { &word };
    let shape = MEANINGS[1..3].iter().position(|name| *name == word);
    let kind = KINDS.iter().position(|name| *name == word);
    let kind = shape.map(|_| 0).or(kind);
    let kind = kind.ok_or_else(|| {
        let message = format!("`{word}` is no kind of arguments, such as scalar, global, local");
        wrong(place, message)
    })?;
    let size = match cursor.comma() {
        true => bytes(a, &mut cursor)?,
        false if shape.is_some() => 4,
        false => return cursor.expect_comma(),
    };
    let target_size = match said(&mut cursor) {
        true => bytes(a, &mut cursor)?,
        false => size.next_multiple_of(4),
    };
    let align = match said(&mut cursor) {
        true => bytes(a, &mut cursor)?,
        false => size.next_power_of_two(),
    };
    let signed = said(&mut cursor) && number_of(&mut cursor, &["zext", "sext"])? == 1;
    let meaning = match (said(&mut cursor), shape) {
        (true, _) => number_of(&mut cursor, &MEANINGS)?,
        (false, Some(shape)) => shape as u32 + 1,
        (false, None) => 0,
    };
    cursor.end()?;
    let listed = &mut a.program.kernel(&cursor)?.listed;
    if listed.len() >= MOST {
        let message = format!("a kernel has {MOST} arguments at most");
        return Err(wrong(0..cursor.text().len(), message));
    }
    listed.push(Argument {
        kind: kind as u32,
        size,
        target_size,
        align,
        signed,
        meaning,
    });
    Ok(())
}

/// Whether there is another operand, and it is not empty.
fn said(cursor: &mut Cursor<'_>) -> bool {
    cursor.comma() && cursor.peek() != b','
}

fn bytes(a: &mut Assembler<'_>, cursor: &mut Cursor<'_>) -> Result<u32, Wrong> {
    let place = cursor.span();
    match a.count(cursor)? {
        0 => Err(wrong(place, "there should be a number of bytes from 1 on")),
        number @ ..=LARGEST => Ok(number as u32),
        _ => Err(wrong(place, "an argument has a megabyte at most")),
    }
}

fn number_of(cursor: &mut Cursor<'_>, names: &[&str]) -> Result<u32, Wrong> {
    let place = cursor.span();
    let word = cursor.piece();
    let found = names
        .iter()
        .position(|name| name.eq_ignore_ascii_case(word));
    let message = || format!("`{word}` is none of {}", names.join(", "));
    found
        .map(|at| at as u32)
        .ok_or_else(|| wrong(place, message()))
}

/// `.proginfo`: the registers follow.
pub(super) fn proginfo(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    let kernel = a.program.kernel(&cursor)?;
    kernel.registers.get_or_insert_with(Vec::new);
    cursor.end()
}

/// `.entry REGISTER, VALUE`
pub(super) fn entry(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let mut pair = [0; 2];
    for (n, number) in pair.iter_mut().enumerate() {
        if n > 0 {
            cursor.expect_comma()?;
        }
        let place = cursor.span();
        let value = a.count(&mut cursor)?;
        *number = u32::try_from(value)
            .map_err(|_| wrong(place, format_args!("{value} has more than 32 bits")))?;
    }
    cursor.end()?;
    let registers = a.program.kernel(&cursor)?.registers.as_mut();
    match registers.filter(|registers| registers.len() < REGISTERS.len()) {
        Some(registers) => registers.push(pair),
        None => {
            let message = "`.entry` stands behind `.proginfo`, five times at most";
            return Err(wrong(0..cursor.text().len(), message));
        }
    }
    Ok(())
}

/// Reads a setting for what stands before the code alone.
fn for_hsa(
    a: &mut Assembler<'_>,
    cursor: Cursor<'_>,
    act: fn(&mut Assembler<'_>, Cursor<'_>) -> Result<(), Wrong>,
) -> Result<(), Wrong> {
    a.program.for_hsa = true;
    let done = act(a, cursor);
    a.program.for_hsa = false;
    done
}

/// `.scratchsym`: its places are filled by Mesa's driver.
fn scratch_symbol(_: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    let message = "`.scratchsym` leaves addresses to Mesa's driver, which is not done here; settings of LLVM 4.0 and later \
         (`.llvm_version 40000`, `.use_private_segment_buffer`) give them in registers";
    Err(wrong(0..cursor.text().len(), message))
}

impl Assembler<'_> {
    /// Writes the settings of all kernels, and keeps what the program lists.
    pub(super) fn finish_clover(&mut self, mut kernels: Vec<Kernel>) {
        let configs = || kernels.iter().filter_map(|kernel| kernel.config.as_ref());
        let needs = configs().find_map(Config::needs_hsa);
        let hsa = match (self.program.llvm, needs) {
            (Some(version), Some(field)) if version < HSA => {
                let message = format!(
                    "`{field}` is a setting of LLVM 4.0 and later: say `.llvm_version 40000`"
                );
                return self.report(kernels[0].place.wrong(message));
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
                Err(error) => self.report(*error),
            }
        }
        found.sort_by_key(|one| (one.spot.fragment, one.spot.offset));
        self.write_registers(&found);
        self.notes.os = match hsa {
            true => wavetank_link::Os::Mesa3d,
            false => wavetank_link::Os::None,
        };
        self.program.found = found;
    }

    /// Finds the code of a kernel, and the values of the registers.
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
            .map_err(|message| Box::new(kernel.place.wrong(message)))?;
        let (place, spot) = match hsa {
            true => (kernel.place.clone(), self.finish_kernel(kernel)?),
            false => (kernel.place.clone(), self.code_of_kernel(kernel, STT_FUNC)?),
        };
        if spot.section != SectionId(0) {
            return Err(Box::new(place.wrong(format!(
                "the code of `{name}` stands in another section than `.text`"
            ))));
        }
        Ok(Found {
            listed,
            spot,
            registers: values,
            place,
        })
    }

    /// What registers are set to: as `.proginfo` says, or as `.config` and the code ask for.
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
                let (given, all) = (values.len(), registers.len());
                return Err(format!(
                    "`.proginfo` of `{name}` has {given} entries, not {all}"
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
        let words = config.words(&kernel.counts, self.chip)?;
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
        let (id, _) = self.sections.get(&key, SHT_PROGBITS, 0, 0);
        self.sections.switch(id);
        if let Err(error) = self.append(&bytes) {
            self.report(LineError::of_source(error));
        }
    }

    /// What the program of a source says beside its object.
    pub(super) fn clover(&mut self, layout: &Layout) -> Option<Container> {
        if self.program.found.is_empty() {
            return None;
        }
        let mut kernels = Vec::new();
        for Found {
            mut listed,
            spot,
            place,
            ..
        } in std::mem::take(&mut self.program.found)
        {
            let offset = layout.offset(spot);
            if !offset.is_multiple_of(ALIGN) {
                let message = format!(
                    "the code of `{}` begins at {offset:#x}: kernels begin at multiples of 256, so say `.p2align 8`",
                    listed.name
                );
                self.report(place.wrong(message));
            }
            // Sections have 256 megabytes at most.
            listed.offset = offset as u32;
            kernels.push(listed);
        }
        let mesa = self.program.driver.max(0) as u64;
        Some(Container::Clover { kernels, mesa })
    }
}

/// COMPUTE_TMPRING_SIZE.
fn tmpring(config: &Config) -> u32 {
    let bytes = u64::from(config.value("workitem_private_segment_byte_size") as u32);
    let granules = (bytes * 64).div_ceil(WAVE_GRANULE);
    (granules.min(0x1fff) as u32) << 12
}

/// Bytes that arguments take: an offset of the grid is three values.
fn bytes_of(args: &[Argument]) -> u64 {
    let each = args.iter().flat_map(|arg| {
        let times = if arg.meaning == 2 { 3 } else { 1 };
        std::iter::repeat_n(arg, times)
    });
    each.fold(0, |at: u64, arg| {
        at.next_multiple_of(arg.align.into()) + u64::from(arg.target_size)
    })
}
