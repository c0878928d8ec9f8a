//! Cubins: NVIDIA's ELF files, and their sections with code.

use object::LittleEndian;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::SectionHeader;
use object::read::elf::{ElfFile, FileHeader};
use thiserror::Error;
use wavetank_quote::plain;

/// The reason for which a file is not a cubin.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CubinError {
    /// The file is not ELF, or is damaged.
    #[error(
        "this is not a cubin (an ELF file): {0}; plain bundles are read with --raw, single words with --hex"
    )]
    Elf(String),
    /// The file is an ELF file for another machine.
    #[error("this ELF file is for machine {0}, not for NVIDIA's GPUs (190)")]
    Machine(u16),
    /// The bytes of a section are not in the file.
    #[error("the section {name} of the cubin cannot be read: {problem}")]
    Section {
        /// The name of the section.
        name: String,
        /// The error in the section.
        problem: String,
    },
}

/// A section with code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section<'a> {
    /// The name of the section: `.text.` and the kernel's name.
    pub name: &'a str,
    /// The bundles of the section.
    pub code: &'a [u8],
}

/// The code of a cubin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cubin<'a> {
    /// The chip's number: 52 for SM 5.2.
    pub sm: u8,
    /// The sections whose names begin with `.text`, in the order of the file.
    pub sections: Vec<Section<'a>>,
}

/// Returns whether bytes begin like an ELF file for NVIDIA's GPUs, of 32 or 64 bits.
pub fn is_cubin(bytes: &[u8]) -> bool {
    fn is<Elf: FileHeader<Endian = LittleEndian>>(bytes: &[u8]) -> bool {
        let header = Elf::parse(bytes);
        header.is_ok_and(|header| header.e_machine(LittleEndian) == elf::EM_CUDA)
    }
    is::<FileHeader64<LittleEndian>>(bytes) || is::<FileHeader32<LittleEndian>>(bytes)
}

impl<'a> Cubin<'a> {
    /// Reads the sections with code of a file, for programs with pointers of 32 or 64 bits. The contents of the file are not
    /// trusted.
    ///
    /// # Errors
    /// A [`CubinError`] if the file is not an ELF file for NVIDIA's GPUs, or is damaged.
    pub fn read(bytes: &'a [u8]) -> Result<Cubin<'a>, CubinError> {
        // `EI_CLASS`.
        match bytes.get(4) {
            Some(1) => read::<FileHeader32<LittleEndian>>(bytes),
            _ => read::<FileHeader64<LittleEndian>>(bytes),
        }
    }
}

fn read<'a, Elf: FileHeader<Endian = LittleEndian>>(
    bytes: &'a [u8],
) -> Result<Cubin<'a>, CubinError> {
    let damaged = |error: object::Error| CubinError::Elf(error.to_string());
    let file = ElfFile::<'a, Elf>::parse(bytes).map_err(damaged)?;
    let header = file.elf_header();
    let machine = header.e_machine(LittleEndian);
    if machine != elf::EM_CUDA {
        return Err(CubinError::Machine(machine.0));
    }
    let mut sections = Vec::new();
    // The sections are read by their headers, so that the names borrow from the file's bytes.
    let (endian, table) = (LittleEndian, file.elf_section_table());
    for section in table.iter() {
        let name = table.section_name(endian, section).map_err(damaged)?;
        let Ok(name) = std::str::from_utf8(name) else {
            continue;
        };
        if !name.starts_with(".text") {
            continue;
        }
        let code = section
            .data(endian, bytes)
            .map_err(|error| CubinError::Section {
                name: plain(name).to_string(),
                problem: error.to_string(),
            })?;
        sections.push(Section { name, code });
    }
    // `EF_CUDA_SM`: the lowest byte of the flags.
    let sm = (header.e_flags(LittleEndian).0 & 0xff) as u8;
    Ok(Cubin { sm, sections })
}
