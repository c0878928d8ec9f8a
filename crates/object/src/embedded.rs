//! Device code in host programs.
//!
//! * HIP: offload bundles in section `.hip_fatbin`.
//! * OpenMP by LLVM: images in section `.llvm.offloading`, each in a container of its own.
//! * OpenMP and OpenACC by GCC: images among the data of a program that has a section `.gnu.offload_funcs`. Their places are only
//!   in the program's own code.
//!
//! Source: "Clang Linker Wrapper" of Clang's documentation; libgomp's "Offload functions" of `mkoffload`.

use memchr::memmem;

use crate::bundle::Bundle;
use crate::catalyst;
use crate::code_object::CodeObject;
use crate::elf::{Elf, is_elf};
use crate::error::{Error, Result};

const HIP: &str = ".hip_fatbin";
const LLVM: &str = ".llvm.offloading";
const GCC: &str = ".gnu.offload_funcs";

/// The first bytes of an image: ELF, 64 bits, little-endian, version 1, for HSA.
const IMAGE: &[u8] = b"\x7fELF\x02\x01\x01\x40";

/// The form in which a host program contains its device code.
pub(crate) enum Embedded<'a> {
    /// Offload bundles, one after another.
    Bundles(&'a [u8]),
    /// Images somewhere in these bytes.
    Images(&'a [u8]),
}

/// Returns the device code of a host program; `None` if the file is not a host program.
///
/// # Errors
/// [`Error::BadElf`] and other errors of damaged files; [`Error::NoDeviceCode`].
pub(crate) fn embedded(bytes: &[u8]) -> Result<Option<Embedded<'_>>> {
    if !is_elf(bytes) || catalyst::is_program(bytes) {
        return Ok(None);
    }
    let elf = Elf::parse(bytes)?;
    let Some(machine) = elf.foreign_machine() else {
        return Ok(None);
    };
    if let Some(section) = elf.section(HIP)? {
        return Ok(Some(Embedded::Bundles(section)));
    }
    let place = match elf.section(LLVM)? {
        None if elf.section(GCC)?.is_some() => Some(bytes),
        section => section,
    };
    // Images of other kinds (bitcode, another vendor's) do not count.
    let place = place.filter(|place| !images(place).is_empty());
    let place = place.ok_or(Error::NoDeviceCode { machine })?;
    Ok(Some(Embedded::Images(place)))
}

/// Finds the images in some bytes, each as a bundle of one. An image ends where the next begins, at the latest.
pub(crate) fn images(bytes: &[u8]) -> Vec<Bundle<'_>> {
    let mut starts: Vec<usize> = memmem::find_iter(bytes, IMAGE).collect();
    starts.push(bytes.len());
    let bundles = starts.windows(2).filter_map(|range| {
        let image = &bytes[range[0]..range[1]];
        let target = CodeObject::parse(image).ok()?.target().clone();
        Some(Bundle::of_one(target, image))
    });
    bundles.collect()
}
