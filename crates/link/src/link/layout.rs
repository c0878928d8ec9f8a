//! The layout of sections and segments in memory and in the file.
//!
//! Source: `lld/ELF/Writer.cpp` (`getSectionRank`, `createPhdrs`, `setFileOffset`). Sections are ordered by their permissions,
//! read-only ones first. Each change of permissions begins a segment on a new page, at the same offset in the page as in the
//! file, so that the file has no gaps.

use object::elf;

use wavetank_object::MAX_IMAGE_SIZE;

use crate::elf::{SHF_EXECINSTR, SHF_WRITE, SHT_NOBITS, SHT_NOTE, SHT_PROGBITS};
use crate::error::{Error, Result};
use crate::file::{FILE_HEADER_SIZE, PROGRAM_HEADER_SIZE, ProgramHeader, align_up};

use super::sections::{Output, Outputs};

/// The size of a page in bytes, for both the host and the GPU.
const PAGE: u64 = 0x1000;

/// Limit of the output file's size: the memory of a section beyond its bytes is written as zeros.
const MAX_FILE_SIZE: u64 = 1 << 32;

/// The addresses and file offsets of all sections.
pub(super) struct Layout {
    /// The sections in their order in the file.
    pub order: Vec<usize>,
    /// The number of each section in the file.
    pub numbers: Vec<u32>,
    pub programs: Vec<ProgramHeader>,
    /// The end of the sections' contents in the file.
    pub end: u64,
}

impl Layout {
    /// Assigns an address and a file offset to every section.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the file or the memory image exceeds its limit.
    pub(super) fn of(outputs: &mut Outputs) -> Result<Layout> {
        let list = &mut outputs.list;
        if list.len() >= elf::SHN_LORESERVE.into() {
            return Err(Error::TooLarge("its sections".to_owned()));
        }
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by_key(|index| rank(&list[*index]));
        let segments = segments(list, &order);
        let is =
            |test: fn(&Output) -> bool| order.iter().copied().filter(|n| test(&list[*n])).collect();
        let relro: Vec<usize> = is(is_relro);
        let notes: Vec<usize> = is(|o| o.kind == SHT_NOTE && o.in_memory());
        let notes: Vec<Vec<usize>> = notes
            .chunk_by(|a, b| list[*a].align == list[*b].align)
            .map(<[usize]>::to_vec)
            .collect();
        // Three headers in addition: for the program headers, for the dynamic section, and for the stack, which is marked as not
        // executable.
        let count = 3 + segments.len() + usize::from(!relro.is_empty()) + notes.len();
        let headers = FILE_HEADER_SIZE + count as u64 * PROGRAM_HEADER_SIZE;
        let end = place(list, &order, &segments, headers)?;
        let list = &*list;
        let mut programs = vec![ProgramHeader {
            kind: elf::PT_PHDR,
            flags: elf::PF_R,
            offset: FILE_HEADER_SIZE,
            address: FILE_HEADER_SIZE,
            file_size: headers - FILE_HEADER_SIZE,
            memory_size: headers - FILE_HEADER_SIZE,
            align: 8,
        }];
        for (n, segment) in segments.iter().enumerate() {
            // Space is reserved for the headers of empty segments, but they are not written.
            if n > 0 && segment.is_empty(list) {
                continue;
            }
            let mut program = program(list, elf::PT_LOAD, &segment.sections);
            program.flags = segment.flags;
            program.align = program.align.max(PAGE);
            if n == 0 {
                // The first segment includes the headers.
                program.file_size += program.offset;
                program.memory_size += program.address;
                (program.offset, program.address) = (0, 0);
            }
            programs.push(program);
        }
        programs.push(program(list, elf::PT_DYNAMIC, &[outputs.dynamic.dynamic]));
        if !relro.is_empty() {
            let mut program = program(list, elf::PT_GNU_RELRO, &relro);
            // A loader protects whole pages.
            let end = align_up(program.offset + program.memory_size, PAGE);
            program.memory_size = end - program.offset;
            (program.align, program.flags) = (1, elf::PF_R);
            programs.push(program);
        }
        programs.push(ProgramHeader {
            kind: elf::PT_GNU_STACK,
            flags: elf::PF_R | elf::PF_W,
            offset: 0,
            address: 0,
            file_size: 0,
            memory_size: 0,
            align: 0,
        });
        programs.extend(notes.iter().map(|notes| program(list, elf::PT_NOTE, notes)));
        let mut numbers = vec![0; order.len()];
        for (index, number) in order.iter().zip(1..) {
            numbers[*index] = number;
        }
        Ok(Layout {
            order,
            numbers,
            programs,
            end,
        })
    }
}

/// Sections that are loaded together, with the same permissions.
struct Segment {
    flags: elf::ProgramFlags,
    sections: Vec<usize>,
}

impl Segment {
    /// Whether all sections of the segment are empty.
    fn is_empty(&self, list: &[Output]) -> bool {
        self.sections.iter().all(|index| list[*index].size == 0)
    }
}

/// Returns the rank of a section in the order. Notes are first, then read-only, executable and writable sections; zeros are last
/// in each class. Of the writable ones, those that become read-only after relocation are first. Sections outside of memory are
/// last.
fn rank(output: &Output) -> u32 {
    if !output.in_memory() {
        return 1 << 16;
    }
    if output.kind == SHT_NOTE {
        return 0;
    }
    let writable = output.flags & SHF_WRITE != 0;
    let code = output.flags & SHF_EXECINSTR != 0;
    let use_ = match (code, writable) {
        (false, false) if output.kind == SHT_PROGBITS => 1 << 10,
        (false, false) => 0,
        (true, false) => 1 << 11,
        (true, true) => 1 << 12,
        (false, true) => 1 << 13,
    };
    let after_relro = u32::from(!is_relro(output)) << 9;
    let zeros = u32::from(output.kind == SHT_NOBITS) << 7;
    1 << 14 | use_ | after_relro | zeros
}

/// Whether a section is written only by the loader, when it applies relocations.
fn is_relro(output: &Output) -> bool {
    let names = [
        ".got",
        ".dynamic",
        ".data.rel.ro",
        ".bss.rel.ro",
        ".ctors",
        ".dtors",
        ".jcr",
        ".eh_frame",
        ".init_array",
        ".fini_array",
        ".preinit_array",
    ];
    output.in_memory() && output.flags & SHF_WRITE != 0 && names.contains(&output.name.as_str())
}

fn flags(output: &Output) -> elf::ProgramFlags {
    let mut flags = elf::PF_R;
    if output.flags & SHF_WRITE != 0 {
        flags |= elf::PF_W;
    }
    if output.flags & SHF_EXECINSTR != 0 {
        flags |= elf::PF_X;
    }
    flags
}

/// Divides the sections into segments: the file headers with the read-only sections, and then a new segment at each change of
/// permissions.
fn segments(list: &[Output], order: &[usize]) -> Vec<Segment> {
    let mut segments = vec![Segment {
        flags: elf::PF_R,
        sections: Vec::new(),
    }];
    let mut was_relro = false;
    for index in order.iter().copied().filter(|n| list[*n].in_memory()) {
        let (flags, relro) = (flags(&list[index]), is_relro(&list[index]));
        match segments.last_mut() {
            Some(last) if last.flags == flags && (relro || !was_relro) => last.sections.push(index),
            _ => segments.push(Segment {
                flags,
                sections: vec![index],
            }),
        }
        was_relro = relro;
    }
    segments
}

/// Assigns addresses and file offsets; returns the end of the contents.
fn place(list: &mut [Output], order: &[usize], segments: &[Segment], headers: u64) -> Result<u64> {
    let too_large = || Error::TooLarge("its sections".to_owned());
    let (mut address, mut offset) = (headers, headers);
    for (n, segment) in segments.iter().enumerate() {
        let aligns = segment.sections.iter().map(|index| list[*index].align);
        let page = aligns.max().unwrap_or(1).max(PAGE);
        let empty = n > 0 && segment.is_empty(list);
        // The first segment begins with the headers, which are at 0 in memory and in the file.
        let mut first = (n == 0).then_some((0, 0));
        for index in &segment.sections {
            let output = &mut list[*index];
            if first.is_none() {
                address = align_up(address, PAGE).saturating_add(address % PAGE);
            }
            output.address = align_up(address, output.align);
            let (start, start_offset) = *first.get_or_insert_with(|| {
                // The next free offset in the file with the same offset in a page as the address.
                let skew = output.address.wrapping_sub(offset) % page;
                (output.address, offset.saturating_add(skew))
            });
            if empty {
                offset = align_up(offset, output.align);
            } else if output.in_file() || start == output.address {
                offset = start_offset.saturating_add(output.address - start);
            }
            output.offset = offset;
            address = output.address.saturating_add(output.size);
            if output.in_file() {
                offset = offset.saturating_add(output.size);
            }
        }
    }
    for index in order {
        let output = &mut list[*index];
        if output.in_memory() {
            continue;
        }
        output.offset = align_up(offset, output.align);
        offset = output.offset;
        if output.in_file() {
            offset = offset.saturating_add(output.size);
        }
    }
    if address <= MAX_IMAGE_SIZE && offset <= MAX_FILE_SIZE {
        Ok(offset)
    } else {
        Err(too_large())
    }
}

/// Returns a program header for consecutive sections.
fn program(list: &[Output], kind: elf::ProgramType, sections: &[usize]) -> ProgramHeader {
    let all = || sections.iter().map(|index| &list[*index]);
    let (address, offset) = all().next().map_or((0, 0), |o| (o.address, o.offset));
    let end = all().map(|o| o.address + o.size).max().unwrap_or(address);
    let in_file = all().filter(|o| o.in_file()).map(|o| o.offset + o.size);
    ProgramHeader {
        kind,
        flags: all().map(flags).fold(elf::PF_R, |all, flags| all | flags),
        offset,
        address,
        file_size: in_file.max().unwrap_or(offset) - offset,
        memory_size: end - address,
        align: all().map(|o| o.align).max().unwrap_or(1),
    }
}
