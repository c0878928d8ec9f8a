//! Cubins: NVIDIA's ELF files, of which the sections with code are read.

use object::elf::{self, FileHeader64};
use object::read::elf::{ElfFile64, FileHeader};
use object::{LittleEndian, Object, ObjectSection};
use thiserror::Error;
use wavetank_quote::plain;

/// Why a file is no cubin.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CubinError {
    /// It does not begin like one, or is damaged.
    #[error(
        "this is no cubin (a 64-bit ELF file): {0}; plain bundles are read with --raw, single words with --hex"
    )]
    Elf(String),
    /// ELF for another machine.
    #[error("this ELF file is for machine {0}, not for NVIDIA's GPUs (190)")]
    Machine(u16),
    /// A section whose bytes are not in the file.
    #[error("the section {name} of the cubin cannot be read: {problem}")]
    Section {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: String,
    },
}

/// A section with code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section<'a> {
    /// Its name: `.text.` and the kernel's.
    pub name: &'a str,
    /// Its bundles.
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

/// Whether bytes begin like an ELF file for NVIDIA's GPUs.
pub fn is_cubin(bytes: &[u8]) -> bool {
    let header = FileHeader64::<LittleEndian>::parse(bytes);
    header.is_ok_and(|header| header.e_machine(LittleEndian) == elf::EM_CUDA)
}

impl<'a> Cubin<'a> {
    /// Reads the sections with code of a file, which is not trusted.
    ///
    /// # Errors
    /// A [`CubinError`] for what is no ELF file for NVIDIA's GPUs, or is damaged.
    pub fn read(bytes: &'a [u8]) -> Result<Cubin<'a>, CubinError> {
        let damaged = |error: object::Error| CubinError::Elf(error.to_string());
        let file = ElfFile64::<LittleEndian>::parse(bytes).map_err(damaged)?;
        let header = file.elf_header();
        let machine = header.e_machine(LittleEndian);
        if machine != elf::EM_CUDA {
            return Err(CubinError::Machine(machine.0));
        }
        let mut sections = Vec::new();
        for section in file.sections() {
            let name = section.name().map_err(damaged)?;
            if !name.starts_with(".text") {
                continue;
            }
            let code = section.data().map_err(|error| CubinError::Section {
                name: plain(name).to_string(),
                problem: error.to_string(),
            })?;
            sections.push(Section { name, code });
        }
        // `EF_CUDA_SM`: the lowest byte of the flags.
        let sm = (header.e_flags(LittleEndian).0 & 0xff) as u8;
        Ok(Cubin { sm, sections })
    }
}
