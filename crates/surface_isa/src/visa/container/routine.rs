//! What a container has: kernels and functions.

use std::ops::Range;

use crate::visa::declared::{Declarations, Type};

/// What a container begins with.
pub const MAGIC: [u8; 4] = *b"CISA";

/// A kernel, or a function that kernels call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A kernel.
    Kernel,
    /// A function.
    Function,
}

/// A variable of the file, which all its routines can name by relocations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileVariable {
    /// Its name.
    pub name: String,
    /// The code of its linkage.
    pub linkage: u8,
    /// What its elements are.
    pub ty: Type,
    /// The code of its alignment.
    pub align: u8,
    /// How many elements it has.
    pub elements: u16,
}

/// An input of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// The letter of the variable's class: `V`, `S` or `T`; `?` for a reserved one.
    pub class: char,
    /// Which variable.
    pub number: u32,
    /// Where it stands, in bytes of the register file.
    pub offset: u16,
    /// Its bytes.
    pub size: u16,
}

/// Machine code of a chip that lies beside a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binary {
    /// The code of the chip.
    pub platform: u8,
    /// Its bytes.
    pub size: u32,
}

/// A kernel or function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// What it declares.
    pub declarations: Declarations,
    /// How many labels it has.
    pub labels: u16,
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// Machine code of chips.
    pub binaries: Vec<Binary>,
    /// Its instructions, in bytes of the file.
    pub code: Range<usize>,
    /// Names, in bytes of the file.
    pub(super) strings: Vec<Range<usize>>,
}
