//! Device code in host programs.
//!
//! * HIP: offload bundles in section `.hip_fatbin`.
//! * OpenMP by LLVM: images in section `.llvm.offloading`, each in a container of its own.
//! * OpenMP and OpenACC by GCC: images among the data of a program that has a section `.gnu.offload_funcs`. Nothing but the
//!   program's own code says where.
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

/// How images begin: ELF, 64 bits, little-endian, version 1, for HSA.
const IMAGE: &[u8] = b"\x7fELF\x02\x01\x01\x40";

/// Where a host program has its device code.
pub(crate) enum Embedded<'a> {
    /// Offload bundles.
    Bundles(&'a [u8]),
    /// Images, in these bytes.
    Images(&'a [u8]),
}

/// The device code of a host program; `None` where the file is no host program.
///
/// # Errors
/// [`Error::BadElf`] and others of damaged files; [`Error::NoDeviceCode`].
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
    // An image of another kind (bitcode, another vendor's) is none.
    let place = place.filter(|place| !images(place).is_empty());
    let place = place.ok_or(Error::NoDeviceCode { machine })?;
    Ok(Some(Embedded::Images(place)))
}

/// The images among some bytes, each as a bundle of one. Each ends where the next begins, at the latest.
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
