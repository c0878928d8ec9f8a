//! Constants of the ELF format that describe object files, as plain integers.
//!
//! Source: "System V ABI", "Sections" and "Symbol Table"; LLVM's "User Guide for AMDGPU Backend", "ELF Code Object".

use object::elf;

/// Declares numbers of the format with the names that they have there.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $value:expr,)*) => {
        $($(#[$doc])* pub const $name: $type = $value;)*
    };
}

numbers! {
    /// Code and data.
    SHT_PROGBITS: u32 = elf::SHT_PROGBITS.0,
    /// Notes.
    SHT_NOTE: u32 = elf::SHT_NOTE.0,
    /// Zeros that take no space in the file.
    SHT_NOBITS: u32 = elf::SHT_NOBITS.0,
    /// Addresses of functions that are called at the start.
    SHT_INIT_ARRAY: u32 = elf::SHT_INIT_ARRAY.0,
    /// Addresses of functions that are called at the end.
    SHT_FINI_ARRAY: u32 = elf::SHT_FINI_ARRAY.0,
    /// Addresses of functions that are called before those at the start.
    SHT_PREINIT_ARRAY: u32 = elf::SHT_PREINIT_ARRAY.0,

    /// Written when it runs.
    SHF_WRITE: u64 = elf::SHF_WRITE.0,
    /// In memory when it runs.
    SHF_ALLOC: u64 = elf::SHF_ALLOC.0,
    /// Code.
    SHF_EXECINSTR: u64 = elf::SHF_EXECINSTR.0,
    /// Equal entries may become one.
    SHF_MERGE: u64 = elf::SHF_MERGE.0,
    /// Its entries are strings that end with zero.
    SHF_STRINGS: u64 = elf::SHF_STRINGS.0,
    /// A member of a group.
    SHF_GROUP: u64 = elf::SHF_GROUP.0,
    /// A copy for each thread.
    SHF_TLS: u64 = elf::SHF_TLS.0,
    /// Kept, even if nothing names it.
    SHF_GNU_RETAIN: u64 = elf::SHF_GNU_RETAIN.0,
    /// Not linked.
    SHF_EXCLUDE: u64 = elf::SHF_EXCLUDE.0,

    /// Nothing is said of the symbol.
    STT_NOTYPE: u8 = elf::STT_NOTYPE.0,
    /// Data.
    STT_OBJECT: u8 = elf::STT_OBJECT.0,
    /// A function.
    STT_FUNC: u8 = elf::STT_FUNC.0,
    /// A section.
    STT_SECTION: u8 = elf::STT_SECTION.0,
    /// The name of a source.
    STT_FILE: u8 = elf::STT_FILE.0,
    /// Data that a linker reserves space for.
    STT_COMMON: u8 = elf::STT_COMMON.0,
    /// Data of which each thread has a copy.
    STT_TLS: u8 = elf::STT_TLS.0,
    /// The code of a kernel in code object version 2.
    STT_AMDGPU_HSA_KERNEL: u8 = 10,

    /// Seen in its file only.
    STB_LOCAL: u8 = elf::STB_LOCAL.0,
    /// Seen in all files.
    STB_GLOBAL: u8 = elf::STB_GLOBAL.0,
    /// As global, but any other definition goes before it, and none is no error.
    STB_WEAK: u8 = elf::STB_WEAK.0,

    /// Seen outside of what is linked, where another definition may take its place.
    STV_DEFAULT: u8 = elf::STV_DEFAULT.0,
    /// As hidden.
    STV_INTERNAL: u8 = elf::STV_INTERNAL.0,
    /// Not seen outside of what is linked.
    STV_HIDDEN: u8 = elf::STV_HIDDEN.0,
    /// Seen outside, and nothing takes its place.
    STV_PROTECTED: u8 = elf::STV_PROTECTED.0,
}
