//! Loaded code objects and their sources.

use wavetank::Module;

use crate::c_types::{Agent, LoadedCodeObject};

/// The bytes of a code object, as a program has passed them.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub address: usize,
    pub bytes: usize,
    /// The file that the bytes were read from, or −1.
    pub file: i32,
}

/// A code object in the memory of a GPU.
pub(super) struct Loaded {
    pub handle: LoadedCodeObject,
    pub agent: Agent,
    pub module: Module,
    pub source: Source,
}
