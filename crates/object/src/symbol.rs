//! Symbols, so that an address can be shown as `kernel+0x10`.

/// What a symbol stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// The code of a kernel. In version 2 its descriptor comes first, at the symbol itself.
    Kernel,
    /// The code of a function.
    Function,
    /// A kernel descriptor, `NAME.kd`.
    Descriptor,
    /// A variable or constant.
    Object,
    /// A place without type or size.
    Label,
}

/// A symbol defined in the code object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, as the linker knows it (mangled for C++).
    pub name: String,
    /// Its virtual address, before loading.
    pub address: u64,
    /// Its size in bytes; 0 where it is not known.
    pub size: u64,
    /// What it stands for.
    pub kind: SymbolKind,
    /// Whether other objects and the host can see it.
    pub global: bool,
}
