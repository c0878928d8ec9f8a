//! Constants of the ELF format that describe object files, as plain integers.
//!
//! Source: "System V ABI", "Sections" and "Symbol Table"; LLVM's "User Guide for AMDGPU Backend", "ELF Code Object".

use object::elf;

/// Declares constants under their names in the ELF format.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $value:expr,)*) => {
        $($(#[$doc])* pub const $name: $type = $value;)*
    };
}

numbers! {
    /// Section type: code and data.
    SHT_PROGBITS: u32 = elf::SHT_PROGBITS.0,
    /// Section type: notes.
    SHT_NOTE: u32 = elf::SHT_NOTE.0,
    /// Section type: zeros that take no space in the file.
    SHT_NOBITS: u32 = elf::SHT_NOBITS.0,
    /// Section type: addresses of functions that are called at the start.
    SHT_INIT_ARRAY: u32 = elf::SHT_INIT_ARRAY.0,
    /// Section type: addresses of functions that are called at the end.
    SHT_FINI_ARRAY: u32 = elf::SHT_FINI_ARRAY.0,
    /// Section type: addresses of functions that are called before those at the start.
    SHT_PREINIT_ARRAY: u32 = elf::SHT_PREINIT_ARRAY.0,

    /// Section flag: writable when the program runs.
    SHF_WRITE: u64 = elf::SHF_WRITE.0,
    /// Section flag: in memory when the program runs.
    SHF_ALLOC: u64 = elf::SHF_ALLOC.0,
    /// Section flag: contains code.
    SHF_EXECINSTR: u64 = elf::SHF_EXECINSTR.0,
    /// Section flag: equal entries may be merged.
    SHF_MERGE: u64 = elf::SHF_MERGE.0,
    /// Section flag: the entries are strings that end with zero.
    SHF_STRINGS: u64 = elf::SHF_STRINGS.0,
    /// Section flag: a member of a group.
    SHF_GROUP: u64 = elf::SHF_GROUP.0,
    /// Section flag: one copy for each thread.
    SHF_TLS: u64 = elf::SHF_TLS.0,
    /// Section flag: kept even if no symbol or relocation refers to it.
    SHF_GNU_RETAIN: u64 = elf::SHF_GNU_RETAIN.0,
    /// Section flag: the contents are compressed.
    SHF_COMPRESSED: u64 = elf::SHF_COMPRESSED.0,
    /// Section flag: excluded from the link.
    SHF_EXCLUDE: u64 = elf::SHF_EXCLUDE.0,

    /// Symbol type: not specified.
    STT_NOTYPE: u8 = elf::STT_NOTYPE.0,
    /// Symbol type: data.
    STT_OBJECT: u8 = elf::STT_OBJECT.0,
    /// Symbol type: a function.
    STT_FUNC: u8 = elf::STT_FUNC.0,
    /// Symbol type: a section.
    STT_SECTION: u8 = elf::STT_SECTION.0,
    /// Symbol type: the name of a source.
    STT_FILE: u8 = elf::STT_FILE.0,
    /// Symbol type: data that a linker reserves space for.
    STT_COMMON: u8 = elf::STT_COMMON.0,
    /// Symbol type: data with one copy for each thread.
    STT_TLS: u8 = elf::STT_TLS.0,
    /// Symbol type: the code of a kernel in code object version 2.
    STT_AMDGPU_HSA_KERNEL: u8 = 10,

    /// Binding: visible in its own file only.
    STB_LOCAL: u8 = elf::STB_LOCAL.0,
    /// Binding: visible in all files.
    STB_GLOBAL: u8 = elf::STB_GLOBAL.0,
    /// Binding: as global, but any other definition takes precedence, and a missing one is not an error.
    STB_WEAK: u8 = elf::STB_WEAK.0,

    /// Visibility: visible outside of the linked object, where another definition may replace it.
    STV_DEFAULT: u8 = elf::STV_DEFAULT.0,
    /// Visibility: as hidden, for AMD GPUs.
    STV_INTERNAL: u8 = elf::STV_INTERNAL.0,
    /// Visibility: not visible outside of the linked object.
    STV_HIDDEN: u8 = elf::STV_HIDDEN.0,
    /// Visibility: visible outside of the linked object, and not replaceable there.
    STV_PROTECTED: u8 = elf::STV_PROTECTED.0,
}
