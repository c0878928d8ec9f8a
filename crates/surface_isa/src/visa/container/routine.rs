//! The routines of a container: kernels and functions.

use std::ops::Range;

use crate::visa::declared::{Declarations, Type};

/// The first bytes of a container.
pub const MAGIC: [u8; 4] = *b"CISA";

/// A kernel, or a function that kernels call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A kernel.
    Kernel,
    /// A function.
    Function,
}

/// A variable of the file, to which all routines can refer by relocations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileVariable {
    /// The name of the variable.
    pub name: String,
    /// The code of its linkage.
    pub linkage: u8,
    /// The type of the elements.
    pub ty: Type,
    /// The code of the alignment.
    pub align: u8,
    /// The number of elements.
    pub elements: u16,
}

/// An input of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// The letter of the variable's class: `V`, `S` or `T`; `?` for a reserved one.
    pub class: char,
    /// The number of the variable.
    pub number: u32,
    /// The offset in the register file in bytes.
    pub offset: u16,
    /// The size in bytes.
    pub size: u16,
}

/// The machine code of a chip, stored with a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binary {
    /// The code of the chip.
    pub platform: u8,
    /// The size in bytes.
    pub size: u32,
}

/// A kernel or function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routine {
    /// The name of the routine.
    pub name: String,
    /// The kind of routine.
    pub kind: Kind,
    /// The declarations of the routine.
    pub declarations: Declarations,
    /// The number of labels.
    pub labels: u16,
    /// The inputs of the routine.
    pub inputs: Vec<Input>,
    /// The machine code for chips.
    pub binaries: Vec<Binary>,
    /// The range of the file with the instructions.
    pub code: Range<usize>,
    /// The ranges of the file with the names.
    pub(super) strings: Vec<Range<usize>>,
}
