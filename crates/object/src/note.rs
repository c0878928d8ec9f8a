//! Notes as assemblers write them: whole entries of a section of type `SHT_NOTE`.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Note Records", "Code Object V2 Note Records", "Code Object Metadata".

use crate::error::Result;
use crate::metadata;

/// The owner of the notes of code object versions 3 and later.
pub const OWNER: &str = "AMDGPU";
/// The owner of the notes of version 2.
pub const OWNER_V2: &str = "AMD";
/// The note type `NT_AMD_HSA_CODE_OBJECT_VERSION`.
pub const CODE_OBJECT_VERSION: u32 = 1;
/// The note type `NT_AMD_HSA_ISA_VERSION`.
pub const ISA_VERSION: u32 = 3;
/// The note type `NT_AMD_HSA_METADATA`.
pub const METADATA_V2: u32 = 10;
/// The note type `NT_AMD_HSA_ISA_NAME`.
pub const ISA_NAME: u32 = 11;
/// The note type `NT_AMDGPU_METADATA`.
pub const METADATA: u32 = 32;

/// Returns a note of an owner, with a type and contents: sizes, owner and contents, each padded to four bytes.
pub fn entry(owner: &str, kind: u32, contents: &[u8]) -> Vec<u8> {
    let fill = |out: &mut Vec<u8>| out.resize(out.len().next_multiple_of(4), 0);
    let mut out = Vec::new();
    for number in [owner.len() as u32 + 1, contents.len() as u32, kind] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(owner.as_bytes());
    out.push(0);
    fill(&mut out);
    out.extend_from_slice(contents);
    fill(&mut out);
    out
}

/// Returns the note for the text of `.amdgpu_metadata`: MessagePack with the same bytes as LLVM's.
///
/// # Errors
/// [`Error::MetadataText`](crate::Error::MetadataText) for text that is not YAML, and
/// [`Error::BadMetadata`](crate::Error::BadMetadata) for text that is not metadata of kernels.
///
/// ```
/// let text = "---\namdhsa.version:\n  - 1\n  - 2\n...\n";
/// let note = wavetank_object::note::metadata(text)?;
/// assert_eq!(&note[20..], b"\x81\xaeamdhsa.version\x92\x01\x02\0");
/// assert_eq!(wavetank_object::note::metadata_text(&note[20..39])?, text);
/// # Ok::<(), wavetank_object::Error>(())
/// ```
pub fn metadata(text: &str) -> Result<Vec<u8>> {
    let contents = metadata::of_text(text, true)?;
    Ok(entry(OWNER, METADATA, &contents))
}

/// Returns the note of `.amdgpu_pal_metadata`, as [`metadata`] does, for graphics drivers: it may be any tree.
///
/// # Errors
/// [`Error::MetadataText`](crate::Error::MetadataText) for text that is not YAML.
pub fn pal_metadata(text: &str) -> Result<Vec<u8>> {
    let contents = metadata::of_text(text, false)?;
    Ok(entry(OWNER, METADATA, &contents))
}

/// Returns the note for the text of `.amd_amdgpu_hsa_metadata`, which contains that text.
///
/// # Errors
/// The errors of [`metadata`].
pub fn metadata_v2(text: &str) -> Result<Vec<u8>> {
    let contents = metadata::v2_text(text)?;
    Ok(entry(OWNER_V2, METADATA_V2, contents.as_bytes()))
}

/// Returns the note of `.hsa_code_object_version`.
pub fn code_object_version(major: u32, minor: u32) -> Vec<u8> {
    let contents = [major, minor].map(u32::to_le_bytes).concat();
    entry(OWNER_V2, CODE_OBJECT_VERSION, &contents)
}

/// Returns the note of `.hsa_code_object_isa`: version, vendor and architecture, such as `9, 0, 1, "AMD", "AMDGPU"`.
pub fn isa_version(version: [u32; 3], vendor: &str, architecture: &str) -> Vec<u8> {
    let mut contents = Vec::new();
    for name in [vendor, architecture] {
        let size = u16::try_from(name.len() + 1).unwrap_or(u16::MAX);
        contents.extend_from_slice(&size.to_le_bytes());
    }
    contents.extend(version.iter().flat_map(|number| number.to_le_bytes()));
    for name in [vendor, architecture] {
        contents.extend_from_slice(name.as_bytes());
        contents.push(0);
    }
    entry(OWNER_V2, ISA_VERSION, &contents)
}

/// Returns the note of `.amd_amdgpu_isa`, such as `amdgcn-amd-amdhsa--gfx901`.
pub fn isa_name(name: &str) -> Vec<u8> {
    entry(OWNER_V2, ISA_NAME, name.as_bytes())
}

/// Returns the text of a note's MessagePack in the form that compilers print after `.amdgpu_metadata`. [`metadata`] makes the
/// same bytes from it, if LLVM wrote them: keys in order, numbers as short as possible.
///
/// # Errors
/// [`Error::BadMetadata`](crate::Error::BadMetadata) for other bytes, and for contents that the text cannot express.
pub fn metadata_text(contents: &[u8]) -> Result<String> {
    metadata::text_of(contents)
}
