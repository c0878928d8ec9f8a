//! The ELF layer: header checks, segments, symbols, notes and dynamic relocations of untrusted bytes.

mod relocations;
mod section_layout;

use object::LittleEndian;
use object::elf::{self, FileHeader64, ProgramHeader64};
use object::read::SectionIndex;
use object::read::elf::{
    CompressionHeader, FileHeader, NoteIterator, ProgramHeader, SectionHeader, SectionTable, Sym,
};

use crate::amdgpu_config::RSRC1;
use crate::bytes::slice;
use crate::compressed::Compressed;
use crate::error::{Error, Result};
use crate::foreign::driver_of;
use crate::symbol::{Symbol, SymbolKind};
pub(crate) use relocations::Relocation;
#[cfg(test)]
pub(crate) use relocations::RelocationSymbol;
use section_layout::{align, places, takes_memory};

const LE: LittleEndian = LittleEndian;

/// `ELFOSABI_AMDGPU_HSA`, the value for ROCm.
const OS_ABI_HSA: u8 = 64;
/// `ELFOSABI_AMDGPU_PAL`, the value for AMD's graphics drivers.
const OS_ABI_PAL: u8 = 65;
/// `ELFOSABI_AMDGPU_MESA3D`, the value for Mesa.
const OS_ABI_MESA3D: u8 = 66;
/// The section in which LLVM writes the register settings for Mesa.
const MESA_REGISTERS: &str = ".AMDGPU.config";
/// `STT_AMDGPU_HSA_KERNEL`: the code symbol of a kernel in code object version 2.
const STT_AMDGPU_HSA_KERNEL: u8 = 10;
/// The runtime that starts the kernels of a file. It determines where the file describes the resources of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Driver {
    /// ROCm, with this version of code objects.
    Hsa(u8),
    /// A driver for graphics, whose shaders are functions.
    Graphics,
    /// Mesa, with an `amd_kernel_code_t` before each kernel (`amdgcn-mesa-mesa3d`).
    Mesa3d,
    /// Mesa, with a section of register settings (`amdgcn--`).
    Clover,
}

/// Limit of the total length of symbol names, as a multiple of the file's length. Linkers share the tails of names and write
/// names twice; but a million symbols that share one long name would take unlimited memory.
const MAX_NAME_SHARE: usize = 16;

/// A part of the memory image, which is one `PT_LOAD` program header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The virtual address of the segment's first byte.
    pub address: u64,
    /// The offset of the segment's bytes in the file.
    pub file_offset: u64,
    /// The number of bytes in the file.
    pub file_size: u64,
    /// The number of bytes in memory; those after `file_size` are zero.
    pub memory_size: u64,
    /// The alignment of the address in bytes; 0 and 1 mean none.
    pub align: u64,
    /// Whether the segment may be read.
    pub readable: bool,
    /// Whether the segment may be written.
    pub writable: bool,
    /// Whether the segment contains code.
    pub executable: bool,
}

impl Segment {
    /// Returns whether `size` bytes at `address` are in this segment's memory.
    pub fn contains(&self, address: u64, size: u64) -> bool {
        match address.checked_sub(self.address) {
            Some(at) => at <= self.memory_size && size <= self.memory_size - at,
            None => false,
        }
    }
}

/// A note of the file: owner, type, contents.
pub(crate) struct Note<'a> {
    pub owner: &'a [u8],
    pub kind: u32,
    pub contents: &'a [u8],
}

/// A 64-bit little-endian ELF file.
pub(crate) struct Elf<'a> {
    bytes: &'a [u8],
    header: &'a FileHeader64<LittleEndian>,
    programs: &'a [ProgramHeader64<LittleEndian>],
    sections: SectionTable<'a, FileHeader64<LittleEndian>>,
    /// The addresses given to the sections of a relocatable file, by index; 0 in linked files.
    places: Vec<u64>,
}

/// Returns whether the bytes begin like an ELF file.
pub(crate) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(&elf::ELFMAG)
}

fn damaged(problem: impl std::fmt::Display) -> Error {
    Error::BadElf {
        problem: problem.to_string(),
    }
}

impl<'a> Elf<'a> {
    /// Reads the headers, and checks that all tables are within the file.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self> {
        check_ident(bytes)?;
        slice(
            bytes,
            0,
            size_of::<FileHeader64<LittleEndian>>() as u64,
            "the ELF header",
        )?;
        let header = FileHeader64::<LittleEndian>::parse(bytes).map_err(damaged)?;
        check_table(
            bytes,
            "the program header table",
            (
                header.e_phoff(LE),
                header.e_phnum(LE),
                header.e_phentsize(LE),
            ),
        )?;
        check_table(
            bytes,
            "the section header table",
            (
                header.e_shoff(LE),
                header.e_shnum(LE),
                header.e_shentsize(LE),
            ),
        )?;
        let sections = header.sections(LE, bytes).map_err(damaged)?;
        Ok(Self {
            bytes,
            header,
            programs: header.program_headers(LE, bytes).map_err(damaged)?,
            places: match header.e_type(LE) {
                elf::ET_REL => places(&sections).ok_or_else(|| {
                    damaged("its sections have sizes or alignments that no memory has")
                })?,
                _ => Vec::new(),
            },
            sections,
        })
    }

    /// Returns the machine's name, or `None` for AMD GPUs.
    pub(crate) fn foreign_machine(&self) -> Option<String> {
        let machine = self.header.e_machine(LE);
        let name = match machine {
            elf::EM_AMDGPU => return None,
            elf::EM_386 => "x86 (32-bit)",
            elf::EM_X86_64 => "x86-64",
            elf::EM_ARM => "Arm (32-bit)",
            elf::EM_AARCH64 => "AArch64",
            elf::EM_PPC64 => "PowerPC 64",
            elf::EM_RISCV => "RISC-V",
            elf::EM_CUDA => "NVIDIA CUDA",
            other => return Some(format!("machine number {}", other.0)),
        };
        Some(name.to_owned())
    }

    /// Returns whether the file has not been linked.
    pub(crate) fn is_relocatable(&self) -> bool {
        self.header.e_type(LE) == elf::ET_REL
    }

    /// Returns the file's interpreter, which is the dynamic linker of a dynamically linked program.
    pub(crate) fn interpreter(&self) -> Option<&'a str> {
        let programs = self.programs.iter();
        let mut text = programs.filter_map(|p| p.interpreter(LE, self.bytes).ok().flatten());
        text.find_map(|text| std::str::from_utf8(text).ok())
    }

    /// Returns the driver of the file, after checking that it is for an AMD GPU and linked. Mesa loads unlinked files. Files for
    /// graphics drivers are accepted only with `graphics`.
    pub(crate) fn driver(&self, graphics: bool) -> Result<Driver> {
        if let Some(machine) = self.foreign_machine() {
            return Err(Error::WrongMachine { machine });
        }
        let ident = self.header.e_ident();
        let driver = match ident.os_abi.0 {
            OS_ABI_HSA => Driver::Hsa(ident.abi_version.wrapping_add(2)),
            OS_ABI_PAL | OS_ABI_MESA3D if graphics => Driver::Graphics,
            OS_ABI_MESA3D if self.has_kernel_symbols()? => Driver::Mesa3d,
            os_abi => match self.registers()?.first() {
                Some([RSRC1, _]) if os_abi == 0 => Driver::Clover,
                of_shaders => {
                    let os = os(os_abi, of_shaders.is_some());
                    return Err(Error::WrongOs { os });
                }
            },
        };
        let found = match self.header.e_type(LE) {
            elf::ET_DYN | elf::ET_EXEC => None,
            elf::ET_REL if matches!(driver, Driver::Mesa3d | Driver::Clover) => None,
            elf::ET_REL => Some("a relocatable object file".to_owned()),
            other => Some(format!("an ELF file of type {}", other.0)),
        };
        match (found, driver) {
            (Some(found), _) => Err(Error::NotLinked { found }),
            (None, Driver::Hsa(version)) if !(2..=6).contains(&version) => Err(Error::Version {
                found: format!("of ABI byte {}", ident.abi_version),
            }),
            (None, driver) => Ok(driver),
        }
    }

    /// Returns the register settings as pairs of address and value, with equally many for each kernel or shader, in the order of
    /// their addresses.
    pub(crate) fn registers(&self) -> Result<Vec<[u32; 2]>> {
        let section = self.section(MESA_REGISTERS)?.unwrap_or_default();
        let dword = |at: &[u8]| u32::from_le_bytes([at[0], at[1], at[2], at[3]]);
        let pairs = section.chunks_exact(8);
        Ok(pairs.map(|at| [dword(at), dword(&at[4..])]).collect())
    }

    /// Returns whether the file has kernels with an `amd_kernel_code_t`.
    fn has_kernel_symbols(&self) -> Result<bool> {
        let symbols = self.symbols()?;
        Ok(symbols.iter().any(|s| s.kind == SymbolKind::Kernel))
    }

    pub(crate) fn flags(&self) -> u32 {
        self.header.e_flags(LE).0
    }

    /// Returns the loadable segments in the order of their addresses, which is that of the file ("ELF, Program Header"). In a
    /// relocatable file, they are the sections that take memory.
    pub(crate) fn segments(&self) -> Result<Vec<Segment>> {
        if self.header.e_type(LE) == elf::ET_REL {
            return self.sections_as_segments();
        }
        let mut segments: Vec<Segment> = Vec::new();
        for program in self.programs {
            if program.p_type(LE) != elf::PT_LOAD {
                continue;
            }
            let segment = self.segment(program)?;
            let previous = segments.last().map_or(0, |s| s.address + s.memory_size);
            if segment.address < previous {
                let address = segment.address;
                return Err(damaged(format_args!(
                    "the segment at {address:#x} begins before the previous one ends"
                )));
            }
            segments.push(segment);
        }
        Ok(segments)
    }

    fn segment(&self, program: &ProgramHeader64<LittleEndian>) -> Result<Segment> {
        let (file_offset, file_size) = program.file_range(LE);
        let flags = program.p_flags(LE).0;
        let segment = Segment {
            address: program.p_vaddr(LE),
            file_offset,
            file_size,
            memory_size: program.p_memsz(LE),
            align: program.p_align(LE),
            executable: flags & 1 != 0,
            writable: flags & 2 != 0,
            readable: flags & 4 != 0,
        };
        let Segment {
            address,
            memory_size,
            align,
            ..
        } = segment;
        slice(
            self.bytes,
            file_offset,
            file_size,
            &format!("the segment at {address:#x}"),
        )?;
        if file_size > memory_size {
            return Err(damaged(format_args!(
                "the segment at {address:#x} has {file_size} bytes in the file and {memory_size} in memory"
            )));
        }
        if address.checked_add(memory_size).is_none() || (align > 1 && !align.is_power_of_two()) {
            return Err(damaged(format_args!(
                "the segment at {address:#x} has size {memory_size:#x} and alignment {align:#x}"
            )));
        }
        Ok(segment)
    }

    fn sections_as_segments(&self) -> Result<Vec<Segment>> {
        let sections = self.sections.iter().zip(&self.places);
        let taken = sections.filter(|(section, _)| takes_memory(section));
        let segments = taken.map(|(section, address)| {
            let flags = section.sh_flags(LE).0;
            let (file_offset, file_size) = section.file_range(LE).unwrap_or_default();
            slice(self.bytes, file_offset, file_size, "a section")?;
            Ok(Segment {
                address: *address,
                file_offset,
                file_size,
                memory_size: section.sh_size(LE),
                align: align(section),
                readable: true,
                writable: flags & elf::SHF_WRITE.0 != 0,
                executable: flags & elf::SHF_EXECINSTR.0 != 0,
            })
        });
        segments.collect()
    }

    /// Returns the address given to a section of a relocatable file; 0 in other files, whose addresses are complete.
    fn place_of(&self, section: Option<SectionIndex>) -> u64 {
        let place = section.and_then(|section| self.places.get(section.0));
        place.copied().unwrap_or(0)
    }

    /// Returns all notes: those of the note segments, or those of the note sections if there is no such segment.
    pub(crate) fn notes(&self) -> Result<Vec<Note<'a>>> {
        let mut notes = Vec::new();
        for program in self.programs {
            if let Some(found) = program.notes(LE, self.bytes).map_err(damaged)? {
                self.collect_notes(found, &mut notes)?;
            }
        }
        if notes.is_empty() {
            for section in self.sections.iter() {
                if let Some(found) = section.notes(LE, self.bytes).map_err(damaged)? {
                    self.collect_notes(found, &mut notes)?;
                }
            }
        }
        Ok(notes)
    }

    fn collect_notes(
        &self,
        mut found: NoteIterator<'a, FileHeader64<LittleEndian>>,
        out: &mut Vec<Note<'a>>,
    ) -> Result<()> {
        while let Some(note) = found.next().map_err(damaged)? {
            // Segments that share their bytes could contain more notes than the file has room for.
            if (out.len() + 1) * size_of::<elf::NoteHeader64<LittleEndian>>() > self.bytes.len() {
                return Err(damaged("its notes overlap"));
            }
            out.push(Note {
                owner: note.name(),
                kind: note.n_type(LE).0,
                contents: note.desc(),
            });
        }
        Ok(())
    }

    /// Returns the contents of the first section of this name.
    pub(crate) fn section(&self, name: &str) -> Result<Option<&'a [u8]>> {
        match self.sections.section_by_name(LE, name.as_bytes()) {
            None => Ok(None),
            Some((_, section)) => section.data(LE, self.bytes).map(Some).map_err(damaged),
        }
    }

    /// Returns the contents of the first section of this name, unpacked if they are compressed.
    pub(crate) fn contents(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some((_, section)) = self.sections.section_by_name(LE, name.as_bytes()) else {
            return Ok(None);
        };
        let Some((header, offset, size)) = section.compression(LE, self.bytes).map_err(damaged)?
        else {
            return Ok(self.section(name)?.map(<[u8]>::to_vec));
        };
        let stream = slice(self.bytes, offset, size, name)?;
        let mut contents = Vec::new();
        Compressed::section(header.ch_type(LE), header.ch_size(LE), stream)?
            .unpack_to(&mut contents)?;
        Ok(Some(contents))
    }

    /// Returns the symbols defined here, by address, each once.
    pub(crate) fn symbols(&self) -> Result<Vec<Symbol>> {
        let mut symbols = Vec::new();
        let mut names = Names::of(self.bytes);
        for kind in [elf::SHT_DYNSYM, elf::SHT_SYMTAB] {
            let table = self
                .sections
                .symbols(LE, self.bytes, kind)
                .map_err(damaged)?;
            for entry in table.iter() {
                let Some(symbol_kind) = defined_kind(entry) else {
                    continue;
                };
                let name = table.symbol_name(LE, entry).map_err(damaged)?;
                symbols.push(Symbol {
                    name: names.take(name)?,
                    address: self.address_of(entry),
                    size: entry.st_size(LE),
                    kind: symbol_kind,
                    global: !entry.is_local(),
                });
            }
        }
        symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        symbols.dedup_by(|a, b| a.address == b.address && a.name == b.name);
        Ok(symbols)
    }

    /// Returns the address of a symbol that is defined in a section.
    fn address_of(&self, symbol: &elf::Sym64<LittleEndian>) -> u64 {
        let section = symbol.st_shndx(LE).index();
        let section = section.map(|n| SectionIndex(n.into()));
        self.place_of(section).wrapping_add(symbol.st_value(LE))
    }
}

/// Returns the operating system of a code object that cannot be run.
fn os(os_abi: u8, registers: bool) -> String {
    match os_abi {
        0 if registers => format!("Mesa's graphics (its registers stand in {MESA_REGISTERS})"),
        0 => "no operating system".to_owned(),
        OS_ABI_PAL => "PAL (graphics)".to_owned(),
        OS_ABI_MESA3D => "Mesa (OS ABI 66, Mesa3D), without kernels".to_owned(),
        other => format!("OS ABI {other}"),
    }
}

/// A copier of names with a limit on their total length.
struct Names {
    left: usize,
}

impl Names {
    /// Returns the copier for a file of these bytes.
    fn of(bytes: &[u8]) -> Names {
        Names {
            left: bytes.len().saturating_mul(MAX_NAME_SHARE),
        }
    }

    fn take(&mut self, name: &[u8]) -> Result<String> {
        let left = self.left.checked_sub(name.len()).ok_or_else(|| {
            damaged(format_args!(
                "the names of its symbols take more than {MAX_NAME_SHARE} times the file"
            ))
        })?;
        self.left = left;
        Ok(String::from_utf8_lossy(name).into_owned())
    }
}

/// Returns the kind of a symbol that is defined in a section; `None` for all others.
fn defined_kind(symbol: &elf::Sym64<LittleEndian>) -> Option<SymbolKind> {
    symbol.st_shndx(LE).index()?;
    match symbol.st_type() {
        elf::STT_FUNC => Some(SymbolKind::Function),
        elf::STT_OBJECT => Some(SymbolKind::Object),
        elf::STT_NOTYPE => Some(SymbolKind::Label),
        elf::SymbolType(STT_AMDGPU_HSA_KERNEL) => Some(SymbolKind::Kernel),
        _ => None,
    }
}

/// Checks magic number, class and byte order, with a message for each.
fn check_ident(bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        return Err(Error::Empty);
    }
    if let Some(driver) = driver_of(bytes) {
        return Err(Error::OtherDriver { driver });
    }
    if !is_elf(bytes) {
        let start: Vec<String> = bytes.iter().take(4).map(|b| format!("{b:02x}")).collect();
        return Err(Error::NotElf {
            start: start.join(" "),
        });
    }
    let ident = slice(bytes, 0, 16, "the ELF identification")?;
    let class = match ident[4] {
        1 => "32-bit",
        2 => "64-bit",
        _ => "of unknown class",
    };
    let order = match ident[5] {
        1 => "little-endian",
        2 => "big-endian",
        _ => "of unknown byte order",
    };
    match (ident[4], ident[5]) {
        (2, 1) => Ok(()),
        _ => Err(Error::WrongClass {
            found: format!("{class} {order}"),
        }),
    }
}

/// Checks that a header table is within the file; tables with extended counts are checked when they are read.
fn check_table(bytes: &[u8], what: &str, (at, count, size): (u64, u16, u16)) -> Result<()> {
    match at {
        0 => Ok(()),
        _ => slice(bytes, at, u64::from(count) * u64::from(size), what).map(|_| ()),
    }
}
