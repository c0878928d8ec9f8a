//! Symbols, so that an address can be shown as `kernel+0x10`.

/// The kind of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// The code of a kernel. In version 2 the descriptor is at the symbol, before the code.
    Kernel,
    /// The code of a function.
    Function,
    /// A kernel descriptor, `NAME.kd`.
    Descriptor,
    /// A variable or constant in memory.
    Object,
    /// A place without type or size.
    Label,
}

/// A symbol defined in the code object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The symbol's name for the linker (mangled for C++).
    pub name: String,
    /// The symbol's virtual address, before loading.
    pub address: u64,
    /// The size in bytes; 0 if it is unknown.
    pub size: u64,
    /// The kind of the symbol.
    pub kind: SymbolKind,
    /// Whether other objects and the host can see it.
    pub global: bool,
}
