//! The values of a tile, as the unit of its register allocation.

use iced_x86::Register;
use wavetank_ir::{Reg, Value};
use wavetank_lower::{Place, register};

/// The place of a value in memory: a spill slot, a register of the wave, or a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// A lane vector, by its offset.
    Lanes(u32),
    /// A dword for all lanes, at an offset in the uniform state.
    Dword(u32),
    /// A constant for all lanes.
    Const(u32),
    /// A qword for all lanes, at an offset in the uniform state.
    Qword(u32),
    /// A constant of 64 bits for all lanes.
    WideConst(u64),
    /// A mask, at an offset in the uniform state.
    Mask(u32),
    /// A constant mask of all lanes.
    ConstMask(u64),
}

/// A value, or half of a 64-bit one, within the tile.
#[derive(Debug)]
pub(super) struct Var {
    pub register: Option<Register>,
    pub slot: Option<Slot>,
    pub mask: bool,
    /// The values of the block that this represents.
    pub values: Vec<Value>,
    /// The number of the wave's vector registers that have it as contents.
    pub held: u32,
    /// The lanes known to contain no denormal of single precision.
    pub flushed: Option<Flushed>,
    /// The values derived from it.
    pub derived: Vec<Derivation>,
}

pub(super) type VarId = usize;

/// The lanes without denormals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flushed {
    /// All lanes of the tile.
    All,
    /// The lanes of a mask.
    Under(VarId),
}

/// The part number of a value as a mask.
pub(super) const MASK: u8 = 2;

/// A value that is derived from a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Derived {
    /// The number without denormals, in single precision.
    WithoutDenormals,
    /// A half of each dword, in single precision.
    Half(Widened),
}

/// The form of a half in single precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Widened {
    /// Whether it is the higher one of its dword.
    pub high: bool,
    /// Whether denormal halves have become zeros.
    pub flushed: bool,
    /// Whether signaling NaNs are kept.
    pub signaling: bool,
}

/// A derived value, which is right in some lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Derivation {
    pub what: Derived,
    pub var: VarId,
    /// The mask of those lanes; all without one.
    pub lanes: Option<VarId>,
}

/// Both forms of the same 64-bit values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub planes: [VarId; 2],
    pub packed: [VarId; 2],
}

/// The slot of the vector register with this number.
pub(super) fn slot_of(n: u16) -> Slot {
    match register(Reg::V(n)) {
        Place::Vector(at) => Slot::Lanes(at),
        _ => unreachable!("vector registers are lane vectors"),
    }
}
