//! The values of a tile, as its register allocation sees them.

use iced_x86::Register;
use wavetank_ir::{Reg, Value};
use wavetank_lower::{Place, register};

/// Where a value is in memory: in a spill slot, a register of the wave, or among the constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A lane vector.
    Lanes(u32),
    /// A dword for all lanes, behind the uniform state.
    Dword(u32),
    /// A constant for all lanes.
    Const(u32),
    /// A qword for all lanes, behind the uniform state.
    Qword(u32),
    /// A constant of 64 bits for all lanes.
    WideConst(u64),
    /// A mask, behind the uniform state.
    Mask(u32),
    /// A constant mask.
    ConstMask(u64),
}

/// A value, or a half of one of 64 bits, within the tile.
#[derive(Debug)]
pub struct Var {
    pub register: Option<Register>,
    pub slot: Option<Slot>,
    pub mask: bool,
    /// The values that are this.
    pub values: Vec<Value>,
    /// Vector registers of the wave that are to hold it.
    pub held: u32,
    /// Where it is known to be no denormal number of single precision.
    pub flushed: Option<Flushed>,
    /// The values derived from it.
    pub derived: [Option<VarId>; Derived::COUNT],
}

pub type VarId = usize;

/// Lanes without denormals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flushed {
    /// All.
    All,
    /// Those of a mask.
    Under(VarId),
}

/// The part that a value as a mask is.
pub const MASK: u8 = 2;

/// The values that are derived from a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Derived {
    /// Single precision without denormals.
    WithoutDenormals,
    /// The lower half of each dword in single precision.
    LowHalf,
    /// The higher half.
    HighHalf,
}

impl Derived {
    /// How many there are.
    pub const COUNT: usize = 3;
}

/// Both forms of the same numbers.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub planes: [VarId; 2],
    pub packed: [VarId; 2],
}

/// Where the vector register of this number is.
pub fn slot_of(n: u16) -> Slot {
    match register(Reg::V(n)) {
        Place::Vector(at) => Slot::Lanes(at),
        _ => unreachable!("vector registers are lane vectors"),
    }
}
