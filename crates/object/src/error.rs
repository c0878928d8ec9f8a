//! Errors in the bytes of a code object, one sentence each. Text from the file is quoted in plain characters.

use wavetank_quote::plain;

use crate::limits::MAX_IMAGE_SIZE;

/// The reason why some bytes could not be used as a code object.
///
/// Every variant is displayed as one sentence that names the thing, the place in the file and, if there is one, the way out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file has no bytes at all.
    #[error("the file is empty; a code object (ELF) or an offload bundle was expected")]
    Empty,
    /// The file is neither an ELF file nor an offload bundle.
    #[error(
        "this is neither an ELF file nor an offload bundle: it starts with {start}, \
         not with 7f 45 4c 46 (\\x7fELF) or \"__CLANG_OFFLOAD_BUNDLE__\""
    )]
    NotElf {
        /// The first bytes, in hexadecimal.
        start: String,
    },
    /// An ELF file of the wrong class or byte order.
    #[error("this ELF file is {found}; AMD GPU code objects are 64-bit little-endian")]
    WrongClass {
        /// The identification in words, e.g. `32-bit little-endian`.
        found: String,
    },
    /// An ELF file for another machine.
    #[error("this ELF file is for {machine}, not for an AMD GPU")]
    WrongMachine {
        /// The machine the file is for, e.g. `x86-64`.
        machine: String,
    },
    /// The ELF file is a host program or library without device code.
    #[error(
        "this ELF file is for {machine}, and it holds no AMD GPU code (in section .hip_fatbin or as images for OpenMP)"
    )]
    NoDeviceCode {
        /// The machine the file is for, e.g. `x86-64`.
        machine: String,
    },
    /// The file is for AMD GPUs, but not for the HSA operating system interface.
    #[error(
        "this code object was made for {os}; only those for HSA (OS ABI 64: HIP, OpenCL, OpenMP) and kernels of Mesa can be \
         run: build it with `-target amdgcn-amd-amdhsa`; `objcopy -O binary -j .text` gives its code to `wavetank dis --raw`"
    )]
    WrongOs {
        /// The interface found, e.g. `PAL`.
        os: String,
    },
    /// A program in the format of another driver, with code objects somewhere inside.
    #[error(
        "this is a program as {driver} keeps it, whose kernels only that driver starts; only code objects for HSA can be \
         run: build its source with `-target amdgcn-amd-amdhsa`"
    )]
    OtherDriver {
        /// The driver with this format, e.g. `AMD's Catalyst`.
        driver: &'static str,
    },
    /// An object file that has not been linked.
    #[error(
        "this is {found}, not a linked code object; link it first: `wavetank asm FILE -o OUTPUT` or `ld.lld -shared FILE -o OUTPUT`"
    )]
    NotLinked {
        /// The kind of file, e.g. `a relocatable object file`.
        found: String,
    },
    /// A code object version that is not 2 to 6.
    #[error("code object version {found} is not supported; versions 2 to 6 are")]
    Version {
        /// The version found, as the file says it.
        found: String,
    },
    /// A chip that this crate has no name for.
    #[error("the code object names no known AMD GPU: {}", plain(found))]
    UnknownChip {
        /// The number or name found.
        found: String,
    },
    /// A part extends beyond the end of the file.
    #[error(
        "the file is truncated: {} needs bytes {start:#x} to {end:#x}, and the file ends at {len:#x}",
        plain(what)
    )]
    Truncated {
        /// The part that is missing.
        what: String,
        /// Offset of the part's first byte.
        start: u64,
        /// Offset after the part's last byte (saturated).
        end: u64,
        /// Length of the file in bytes.
        len: u64,
    },
    /// The ELF structure contradicts itself.
    #[error("the ELF file is damaged: {}", plain(problem))]
    BadElf {
        /// The error, and its place.
        problem: String,
    },
    /// The metadata note cannot be read.
    #[error("the metadata note is damaged: {}", plain(problem))]
    BadMetadata {
        /// The error, and its place.
        problem: String,
    },
    /// The text of metadata in a source cannot be read.
    #[error(
        "the metadata are wrong in line {line}, column {column}: {}",
        plain(problem)
    )]
    MetadataText {
        /// The line of the text, counted from 1.
        line: usize,
        /// The column in it, in characters, counted from 1.
        column: usize,
        /// The error at that place.
        problem: String,
    },
    /// A kernel whose descriptor or code is missing or contradictory.
    #[error("kernel `{}` is damaged: {}", plain(kernel), plain(problem))]
    BadKernel {
        /// The name of the kernel.
        kernel: String,
        /// The reason why the kernel cannot be used.
        problem: String,
    },
    /// The image would need more memory than [`MAX_IMAGE_SIZE`].
    #[error("the code object requests {size} bytes of memory; the limit is {limit} bytes", limit = MAX_IMAGE_SIZE)]
    TooLarge {
        /// Bytes that the image needs (saturated).
        size: u64,
    },
    /// The load address does not have the alignment of the segments.
    #[error(
        "a code object cannot be loaded at {base:#x}: its segments need an alignment of {align:#x}"
    )]
    MisalignedBase {
        /// The requested load address.
        base: u64,
        /// The required alignment, in bytes.
        align: u64,
    },
    /// A relocation refers to a symbol that is not defined in the object.
    #[error(
        "the code object uses the symbol `{}` (at {place:#x}), which nothing defines",
        plain(symbol)
    )]
    UndefinedSymbol {
        /// The name of the symbol.
        symbol: String,
        /// Virtual address of the place that needs it.
        place: u64,
    },
    /// A relocation type that dynamic linking of AMD GPU code does not have, or a place out of range.
    #[error("the relocation of type {kind} at {place:#x} cannot be applied: {problem}")]
    BadRelocation {
        /// The ELF relocation number.
        kind: u32,
        /// Virtual address of the place.
        place: u64,
        /// The reason why it cannot be applied.
        problem: String,
    },
    /// The offload bundle's table contradicts itself.
    #[error("the offload bundle is damaged: {problem}")]
    BadBundle {
        /// The error, and its place.
        problem: String,
    },
    /// A compressed offload bundle, where an uncompressed one is needed.
    #[error("this offload bundle is compressed (CCOB)")]
    CompressedBundle,
    /// The file has several targets, and none was requested.
    #[error("the file holds code for several targets, so one must be chosen: {}", present.join(", "))]
    TargetNeeded {
        /// The targets in the file.
        present: Vec<String>,
    },
    /// The file has no code for the requested target.
    #[error(
        "the file holds no code for {}; it has {}",
        plain(wanted),
        list(present)
    )]
    TargetMissing {
        /// The target that was requested.
        wanted: String,
        /// The targets in the file.
        present: Vec<String>,
    },
    /// The text of the requested target is malformed.
    #[error(
        "`{}` is not a target; write a chip and features, such as gfx906 or gfx906:sramecc+:xnack-",
        plain(text)
    )]
    BadTarget {
        /// The text of the target.
        text: String,
    },
}

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Returns the error of a damaged offload bundle.
pub(crate) fn bad_bundle(problem: String) -> Error {
    Error::BadBundle { problem }
}

fn list(present: &[String]) -> String {
    if present.is_empty() {
        "no device code at all".to_owned()
    } else {
        present.join(", ")
    }
}
