//! Operands of host instructions: registers, memory, bytes, masks and labels.

use iced_x86::Register;

/// Registers with a fixed content while compiled code runs. Called functions preserve them.
pub(crate) mod fixed {
    use iced_x86::Register;

    /// The uniform state of the wave.
    pub(crate) const UNIFORM: Register = Register::RBX;
    /// The vector file of the wave.
    pub(crate) const VECTOR: Register = Register::R12;
    /// The context of helpers.
    pub(crate) const CTX: Register = Register::R13;
    /// In a tile: 64 times its number, the tile's offset in a lane vector.
    pub(crate) const TILE: Register = Register::R14;
    /// In a tile: twice its number, the tile's offset in a mask.
    pub(crate) const PIECE: Register = Register::R15;
    /// In a tile: the address of the constants.
    pub(crate) const CONSTANTS: Register = Register::R11;
}

/// A memory operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mem {
    /// The register that has the base address.
    pub base: Register,
    /// The index register, or none.
    pub index: Register,
    /// The displacement in bytes.
    pub offset: i32,
}

impl Mem {
    /// The memory at an offset from a register.
    pub(crate) fn at(base: Register, offset: u32) -> Mem {
        let (index, offset) = (Register::None, offset as i32);
        Mem {
            base,
            index,
            offset,
        }
    }

    /// The memory at an offset from the sum of two registers.
    pub(crate) fn sum(base: Register, index: Register, offset: u32) -> Mem {
        let offset = offset as i32;
        Mem {
            base,
            index,
            offset,
        }
    }
}

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arg {
    /// A register of any class.
    R(Register),
    /// A place in memory, accessed in full width.
    M(Mem),
    /// A dword in memory, broadcast to every lane.
    Each(Mem),
    /// An immediate of 8 bits.
    I(u8),
}

impl From<Register> for Arg {
    fn from(register: Register) -> Arg {
        Arg::R(register)
    }
}

impl From<Mem> for Arg {
    fn from(mem: Mem) -> Arg {
        Arg::M(mem)
    }
}

impl From<u8> for Arg {
    fn from(byte: u8) -> Arg {
        Arg::I(byte)
    }
}

/// The masking of a vector instruction's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Under {
    /// Every lane is written.
    All,
    /// The lanes of a mask are written; the others are kept.
    Merge(Register),
    /// The lanes of a mask are written; the others become zero.
    Zero(Register),
}

/// A jump target in the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Label(pub usize);

/// The base "register" of constants in position-independent code: the address is relative to RIP.
pub(crate) const CONSTANTS: Register = Register::RIP;

/// The low half of a general register.
pub(crate) fn low(register: Register) -> Register {
    Register::EAX + (register as u32 - Register::RAX as u32)
}
