//! Operands of host instructions: registers, memory, bytes, masks and labels.

use iced_x86::Register;

/// Registers that hold the same while compiled code runs. All are kept by functions that it calls.
pub mod fixed {
    use iced_x86::Register;

    /// The uniform state of the wave.
    pub const UNIFORM: Register = Register::RBX;
    /// The vector file of the wave.
    pub const VECTOR: Register = Register::R12;
    /// What helpers run on.
    pub const CTX: Register = Register::R13;
    /// In a tile: 64 times its number, the offset in a lane vector.
    pub const TILE: Register = Register::R14;
    /// In a tile: twice its number, the offset in a mask.
    pub const PIECE: Register = Register::R15;
    /// In a tile: the constants.
    pub const CONSTANTS: Register = Register::R11;
}

/// A place in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mem {
    /// What is added up: one register, or two.
    pub base: Register,
    /// The second one, or none.
    pub index: Register,
    /// Bytes behind them.
    pub offset: i32,
}

impl Mem {
    /// So many bytes behind a register.
    pub fn at(base: Register, offset: u32) -> Mem {
        let (index, offset) = (Register::None, offset as i32);
        Mem {
            base,
            index,
            offset,
        }
    }

    /// So many bytes behind two registers.
    pub fn sum(base: Register, index: Register, offset: u32) -> Mem {
        let offset = offset as i32;
        Mem {
            base,
            index,
            offset,
        }
    }
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A register.
    R(Register),
    /// Memory.
    M(Mem),
    /// A dword in memory, in every lane.
    Each(Mem),
    /// A byte.
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

/// How the result of a vector instruction is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Under {
    /// To every lane.
    All,
    /// To those of a mask; the others keep what they have.
    Merge(Register),
    /// To those of a mask; the others become zero.
    Zero(Register),
}

/// A place in the code that jumps go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(pub usize);

/// Where the constants are: behind this "register" they stand in memory, wherever the code is.
pub const CONSTANTS: Register = Register::RIP;

/// The low half of a general register.
pub fn low(register: Register) -> Register {
    Register::EAX + (register as u32 - Register::RAX as u32)
}
