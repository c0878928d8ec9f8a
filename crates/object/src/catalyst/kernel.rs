//! The start state of a kernel: arguments, and contents of user SGPRs.
//!
//! Source: the CLRX wiki, "AMD Catalyst OpenCL ABI description". A kernel reads two constant buffers, of which 0 has the shape of
//! the grid and 1 the arguments, and a table of descriptors; here all three are parts of one argument block. A buffer is passed
//! by the descriptor at its number. The offset in it, which is one of the arguments, is 0.

use super::{Kernel, class, info, note};
use crate::bytes::u32_at;
use crate::descriptor::KernelDescriptor;
use crate::error::{Error, Result};
use crate::metadata::{Arg, ArgKind, KernelMetadata};
use crate::start::{Start, UserValue, UserWords, WORD_3};
use crate::target::Target;

/// Bytes of constant buffer 0, after which the arguments begin.
const SHAPE: u32 = 256;
/// Bytes of a descriptor in the table of buffers.
const ENTRY: u32 = 32;
/// The largest number of a buffer, and the largest offset of an argument.
const MOST_BUFFERS: u32 = 1023;
const MOST_ARGUMENTS: u32 = 1 << 20;
/// The number of records of a buffer without a limit of its own, because the memory unit checks the actual size.
const ALL: u32 = u32::MAX;

/// Hidden arguments in constant buffer 0, by dword. Offsets of the grid, at dwords 24 and 36, are 0.
#[rustfmt::skip]
const HIDDEN_ARGS: [(u32, ArgKind); 10] = [
    (0, ArgKind::HiddenItemCountX), (1, ArgKind::HiddenItemCountY), (2, ArgKind::HiddenItemCountZ),
    (3, ArgKind::HiddenGridDims),
    (4, ArgKind::HiddenGroupSizeX), (5, ArgKind::HiddenGroupSizeY), (6, ArgKind::HiddenGroupSizeZ),
    (8, ArgKind::HiddenGroupCountX), (9, ArgKind::HiddenGroupCountY), (10, ArgKind::HiddenGroupCountZ),
];

/// Types of values, with their size in bytes, and whether they are sign-extended to a dword.
const TYPES: [(&str, u32, bool); 10] = [
    ("u8", 1, false),
    ("i8", 1, true),
    ("u16", 2, false),
    ("i16", 2, true),
    ("u32", 4, false),
    ("i32", 4, false),
    ("u64", 8, false),
    ("i64", 8, false),
    ("float", 4, false),
    ("double", 8, false),
];

/// The contents of the metadata lines of a kernel.
#[derive(Default)]
struct Lines {
    args: Vec<Arg>,
    /// Arguments that are buffers: the argument's index, and the buffer's number.
    buffers: Vec<(usize, u32)>,
    /// The end of the arguments.
    end: u32,
    local: u32,
    group_size: Option<[u32; 3]>,
    /// The number of the buffer of constants.
    constants: Option<u32>,
    missing: Option<String>,
}

/// Returns the metadata and the start state of a kernel, whose program has its constants at an address.
pub(crate) fn kernel(
    kernel: &Kernel,
    target: &Target,
    constants: Option<u64>,
) -> Result<(KernelMetadata, KernelDescriptor)> {
    let bad = |problem: String| Error::BadKernel {
        kernel: kernel.name.clone(),
        problem,
    };
    let text = String::from_utf8_lossy(&kernel.metadata);
    let mut lines = Lines::read(&text).map_err(bad)?;
    let pairs = program_info(kernel);
    let value = |of: u32| pairs.iter().find(|pair| pair.0 == of).map_or(0, |p| p.1);
    let table = (SHAPE + lines.end).next_multiple_of(64);
    let mut start = Start {
        missing: lines.missing.take(),
        ..Start::default()
    };
    for (arg, number) in &lines.buffers {
        lines.args[*arg].offset = table + number * ENTRY;
    }
    let used = lines.buffers.iter().map(|(_, number)| *number);
    let place = lines.constants.filter(|_| constants.is_some());
    let numbers: Vec<u32> = used.chain(place).collect();
    for number in &numbers {
        let entry = table + number * ENTRY;
        start.words.extend([(entry + 8, ALL), (entry + 12, WORD_3)]);
    }
    if let (Some(number), Some(address)) = (place, constants) {
        start.addresses.push((table + number * ENTRY, address));
    }
    let buffers = numbers.iter().max().map_or(0, |most| most + 1);
    read_user_data(&mut start, &pairs, lines.end, table, buffers);
    let listed = HIDDEN_ARGS.map(|(dword, kind)| Arg::unnamed(kind, dword * 4, 4));
    let metadata = KernelMetadata {
        name: kernel.name.clone(),
        symbol: kernel.name.clone(),
        language: Some("OpenCL C".to_owned()),
        language_version: Some((1, 2)),
        args: listed.into_iter().chain(lines.args).collect(),
        kernarg_segment_size: table + buffers * ENTRY,
        kernarg_segment_align: 64,
        reqd_workgroup_size: lines.group_size,
        start: Some(Box::new(start)),
        ..KernelMetadata::default()
    };
    // Granules of 4 VGPRs and of 8 SGPRs; VCC and other special registers are allocated after the counted SGPRs.
    let vgprs = (value(info::VGPRS).clamp(1, 256) - 1) / 4;
    let sgprs = (value(info::SGPRS).min(98) + 5) / 8;
    let modes = (value(info::FLOAT_MODE) & 0xff) << 12 | (value(info::IEEE_MODE) & 1) << 23;
    let rsrc1 = vgprs | sgprs << 6 | modes;
    let mut descriptor = KernelDescriptor::of_registers(rsrc1, value(info::RSRC2), target);
    descriptor.private_segment_fixed_size = value(info::SCRATCH).min(1 << 20) * 4;
    descriptor.group_segment_fixed_size = lines.local;
    Ok((metadata, descriptor))
}

/// Returns the pairs of the program note.
fn program_info(kernel: &Kernel) -> Vec<(u32, u32)> {
    let note = kernel.notes.iter().find(|n| n.0 == note::PROGRAM_INFO);
    let bytes = note.map_or(&[][..], |(_, bytes)| bytes);
    let pairs = bytes.chunks_exact(8);
    pairs
        .map(|pair| (u32_at(pair, 0), u32_at(pair, 4)))
        .collect()
}

/// Reads the contents of the user SGPRs.
fn read_user_data(
    start: &mut Start,
    pairs: &[(u32, u32)],
    arguments: u32,
    table: u32,
    buffers: u32,
) {
    let value = |of: u32| pairs.iter().find(|pair| pair.0 == of).map_or(0, |p| p.1);
    for n in 0..value(info::USER_DATA).min(16) {
        let first = info::USER_DATA + 1 + 4 * n;
        let [kind, slot, register, count] = [0, 1, 2, 3].map(|field| value(first + field));
        let constant = kind == class("imm_const_buffer");
        let value = match slot {
            0 if constant => UserValue::Buffer(0, SHAPE),
            1 if constant => UserValue::Buffer(SHAPE, arguments.next_multiple_of(16)),
            0 if kind == class("ptr_uav_table") => UserValue::Address(table),
            _ if kind == class("imm_uav") && slot < buffers => {
                UserValue::Words(table + slot * ENTRY)
            }
            _ => {
                let named = super::USER_CLASSES.get(kind as usize).unwrap_or(&"unknown");
                start
                    .missing
                    .get_or_insert_with(|| format!("user data {named} of slot {slot}"));
                continue;
            }
        };
        start.user.push(UserWords {
            first: register,
            count,
            value,
        });
    }
}

impl Lines {
    /// Reads lines such as `;value:n:u32:1:1:0`.
    fn read(text: &str) -> std::result::Result<Lines, String> {
        let mut lines = Lines::default();
        for line in text.lines().filter_map(|line| line.strip_prefix(';')) {
            let fields: Vec<&str> = line.split(':').collect();
            lines
                .line(&fields)
                .ok_or_else(|| format!("its line `;{line}` is none of Catalyst's"))?;
        }
        Ok(lines)
    }

    /// Reads a line; returns `None` for a malformed one.
    fn line(&mut self, fields: &[&str]) -> Option<()> {
        let number = |n: usize| fields.get(n)?.parse::<u32>().ok();
        match *fields.first()? {
            "value" => self.value(fields)?,
            "pointer" => self.pointer(fields)?,
            what @ ("image" | "counter" | "sampler") => {
                let name = fields.get(1)?;
                self.missing = Some(format!("the {what} `{name}`"));
            }
            "memory" if fields.get(1) == Some(&"hwlocal") => self.local = number(2)?,
            "cws" => self.group_size = Some([number(1)?, number(2)?, number(3)?]),
            "cbid" => self.constants = Some(number(1)?).filter(|id| *id <= MOST_BUFFERS),
            "reflection" => {
                let arg = self.args.get_mut(number(1)? as usize);
                if let (Some(arg), Some(name)) = (arg, fields.get(2)) {
                    arg.type_name = Some((*name).to_owned()).filter(|name| !name.is_empty());
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Reads `value:NAME:TYPE:ELEMENTS:1:OFFSET`; a structure has its size in bytes in place of elements.
    fn value(&mut self, fields: &[&str]) -> Option<()> {
        let [_, name, kind, elements, _, offset] = fields else {
            return None;
        };
        let elements = elements.parse::<u32>().ok()?;
        let known = TYPES.iter().find(|row| row.0 == *kind);
        let (size, extended) = match known {
            // Elements of a vector take a dword at least; three take the space of four.
            Some((_, bytes, _)) if elements > 1 => {
                let room = if elements == 3 { 4 } else { elements };
                (room.checked_mul((*bytes).max(4))?, 0)
            }
            Some((_, bytes, signed)) => (*bytes, if *signed { 4 } else { 0 }),
            None if *kind == "struct" => (elements, 0),
            None => return None,
        };
        let arg = Arg {
            sign_extended_to: extended,
            ..self.argument(name, ArgKind::ByValue, offset, size)?
        };
        self.args.push(arg);
        Some(())
    }

    /// Reads `pointer:NAME:TYPE:1:1:OFFSET:SPACE:NUMBER:…`.
    fn pointer(&mut self, fields: &[&str]) -> Option<()> {
        let [_, name, _, _, _, offset, space, number, ..] = fields else {
            return None;
        };
        let arg = match *space {
            "hl" => self.argument(name, ArgKind::DynamicSharedPointer, offset, 4)?,
            "uav" | "c" => {
                let number = number.parse().ok().filter(|n| *n <= MOST_BUFFERS)?;
                self.buffers.push((self.args.len(), number));
                self.argument(name, ArgKind::GlobalBuffer, offset, 8)?
            }
            _ => {
                self.missing = Some(format!("the memory `{space}` of `{name}`"));
                self.argument(name, ArgKind::GlobalBuffer, offset, 8)?
            }
        };
        self.args.push(arg);
        Some(())
    }

    fn argument(&mut self, name: &str, kind: ArgKind, offset: &str, size: u32) -> Option<Arg> {
        let offset: u32 = offset.parse().ok().filter(|at| *at <= MOST_ARGUMENTS)?;
        let end = offset
            .checked_add(size)
            .filter(|end| *end <= MOST_ARGUMENTS)?;
        self.end = self.end.max(end.next_multiple_of(16));
        Some(Arg {
            name: Some(name.to_owned()),
            ..Arg::unnamed(kind, SHAPE + offset, size)
        })
    }
}
