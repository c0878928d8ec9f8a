//! The reader of programs for AMD's Catalyst.

use object::LittleEndian;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};

use super::{Kernel, PRODUCTS, Program};
use crate::bytes::{slice, u32_at};
use crate::error::{Error, Result};

const LE: LittleEndian = LittleEndian;

/// Offsets of a file's machine number and of its class: 1 for 32 bits, 2 for 64 bits.
const MACHINE: usize = 18;
const CLASS: usize = 4;
/// Limit of kernels of a program.
const MOST: usize = 4096;
/// Limit of the kernels' total size, as a multiple of the file's length.
const MOST_SHARE: usize = 4;

/// Returns the index of the chip that a program is for.
fn product_of(bytes: &[u8]) -> Option<usize> {
    let machine = bytes.get(MACHINE..)?.first_chunk()?;
    let machine = u16::from_le_bytes(*machine);
    PRODUCTS.iter().position(|p| p.machine == machine)
}

/// Returns whether the bytes begin like a program for OpenCL 1.2.
pub(crate) fn is_program(bytes: &[u8]) -> bool {
    bytes.starts_with(&elf::ELFMAG) && product_of(bytes).is_some()
}

fn damaged(problem: impl std::fmt::Display) -> Error {
    Error::BadElf {
        problem: problem.to_string(),
    }
}

/// Symbols: name and bytes of each.
type Symbols<'a> = Vec<(&'a [u8], &'a [u8])>;

impl Program {
    /// Parses a program.
    ///
    /// # Errors
    /// [`Error::BadElf`] for other files, [`Error::Truncated`].
    pub fn read(bytes: &[u8]) -> Result<Program> {
        let product =
            product_of(bytes).ok_or_else(|| damaged("it is not a program of Catalyst"))?;
        let wide = bytes.get(CLASS) == Some(&2);
        let symbols = if wide {
            symbols::<FileHeader64<LittleEndian>>(bytes)?
        } else {
            symbols::<FileHeader32<LittleEndian>>(bytes)?
        };
        let named = |name: &[u8]| {
            let found = symbols.iter().find(|(other, _)| *other == name);
            found.map(|(_, bytes)| bytes.to_vec())
        };
        let mut program = Program {
            product,
            wide,
            options: named(b"__OpenCL_compile_options").unwrap_or_default(),
            driver: Vec::new(),
            // The number in the name differs between drivers.
            constants: named(b"__OpenCL_0_global").or_else(|| named(b"__OpenCL_2_global")),
            kernels: Vec::new(),
        };
        let mut left = bytes.len().saturating_mul(MOST_SHARE);
        for (symbol, file) in &symbols {
            let name = symbol.strip_prefix(b"__OpenCL_");
            let Some(name) = name.and_then(|name| name.strip_suffix(b"_kernel")) else {
                continue;
            };
            if program.kernels.len() == MOST {
                return Err(damaged(format_args!("it has more than {MOST} kernels")));
            }
            left = left
                .checked_sub(file.len())
                .ok_or_else(|| damaged("its kernels share their bytes"))?;
            let of = |what: &[u8]| named(&[b"__OpenCL_", name, what].concat()).unwrap_or_default();
            let inner = Kernel {
                name: String::from_utf8_lossy(name).into_owned(),
                metadata: of(b"_metadata"),
                header: of(b"_header"),
                ..kernel_file(file)?
            };
            program.kernels.push(inner);
        }
        if program.kernels.is_empty() {
            Err(damaged(
                "this program of AMD's Catalyst (OpenCL 1.2) has no kernels",
            ))
        } else {
            Ok(program)
        }
    }
}

/// Returns the symbols with their bytes.
fn symbols<H: FileHeader<Endian = LittleEndian>>(bytes: &[u8]) -> Result<Symbols<'_>> {
    let header = H::parse(bytes).map_err(damaged)?;
    let sections = header.sections(LE, bytes).map_err(damaged)?;
    let table = sections
        .symbols(LE, bytes, elf::SHT_SYMTAB)
        .map_err(damaged)?;
    let mut found = Vec::new();
    for symbol in table.iter().filter(|symbol| symbol.st_name(LE) != 0) {
        let Some(index) = symbol.st_shndx(LE).index() else {
            continue;
        };
        let name = table.symbol_name(LE, symbol).map_err(damaged)?;
        let index = object::SectionIndex(index.into());
        let data = sections.section(index).map_err(damaged)?;
        let data = data.data(LE, bytes).map_err(damaged)?;
        let (at, size) = (symbol.st_value(LE).into(), symbol.st_size(LE).into());
        found.push((name, slice(data, at, size, "a symbol of the program")?));
    }
    Ok(found)
}

/// Reads a kernel's file: notes and code.
fn kernel_file(file: &[u8]) -> Result<Kernel> {
    let header = FileHeader32::<LittleEndian>::parse(file).map_err(damaged)?;
    let programs = header.program_headers(LE, file).map_err(damaged)?;
    let mut kernel = Kernel::default();
    let notes = programs.iter().find(|p| p.p_type(LE) == elf::PT_NOTE);
    if let Some(notes) = notes {
        let (at, size) = notes.file_range(LE);
        kernel.notes = notes_of(slice(file, at, size, "the notes of a kernel")?)?;
    }
    let sections = header.sections(LE, file).map_err(damaged)?;
    let contents = |name: &[u8]| match sections.section_by_name(LE, name) {
        Some((_, section)) => section.data(LE, file).map(<[u8]>::to_vec).map_err(damaged),
        None => Ok(Vec::new()),
    };
    kernel.code = contents(b".text")?;
    kernel.data = contents(b".data")?;
    Ok(kernel)
}

fn notes_of(mut bytes: &[u8]) -> Result<Vec<(u32, Vec<u8>)>> {
    let mut notes = Vec::new();
    while !bytes.is_empty() {
        let header = slice(bytes, 0, 12, "a note of a kernel")?;
        let [name, size, kind] = [0, 4, 8].map(|at| u32_at(header, at));
        let at = 12 + u64::from(name);
        let contents = slice(bytes, at, size.into(), "a note of a kernel")?;
        notes.push((kind, contents.to_vec()));
        // Both sizes have been checked against the file.
        bytes = &bytes[(at + u64::from(size)) as usize..];
    }
    Ok(notes)
}
