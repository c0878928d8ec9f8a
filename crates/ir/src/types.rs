//! The types of values and elements, registers and float environments.

use std::fmt;

/// The number of lanes of a lane vector. Narrower warps run with the upper lanes inactive.
pub const LANES: usize = 64;

/// The shape and width of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// One 32-bit value a wave. Booleans such as SCC are 0 or 1 of this type.
    U32,
    /// One 64-bit value a wave.
    U64,
    /// One bit a lane: EXEC, VCC, the result of a compare.
    Mask,
    /// 64 lanes of 32 bits. 16-bit values sit in the low half.
    V32,
    /// 64 lanes of 64 bits.
    V64,
}

impl Ty {
    /// Whether the value differs from lane to lane.
    pub const fn is_vector(self) -> bool {
        matches!(self, Ty::V32 | Ty::V64)
    }

    /// The width in bits of one lane, or of the uniform value.
    pub const fn bits(self) -> u32 {
        match self {
            Ty::U32 | Ty::V32 => 32,
            Ty::U64 | Ty::Mask | Ty::V64 => 64,
        }
    }

    /// The lane vector of the given width.
    pub const fn vector(bits: u32) -> Ty {
        if bits == 64 { Ty::V64 } else { Ty::V32 }
    }

    /// The uniform type of the given width.
    pub const fn uniform(bits: u32) -> Ty {
        if bits == 64 { Ty::U64 } else { Ty::U32 }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The type of an element: the meaning of its bits to an arithmetic operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Elem {
    /// An integer of 16 bits in the low half of 32 bits. The high half of an operand is ignored, and that of a result is 0.
    I16,
    /// An integer of 32 bits.
    I32,
    /// An integer of 64 bits.
    I64,
    /// Half precision in the low half of 32 bits, placed as for `I16`.
    F16,
    /// Single precision, in 32 bits.
    F32,
    /// Double precision, in 64 bits.
    F64,
    /// Two 16-bit integers in 32 bits: an operation applies to both halves as it does to `I16`.
    I16x2,
    /// Two numbers of half precision in 32 bits.
    F16x2,
}

impl Elem {
    /// The width in bits of the element itself.
    pub const fn bits(self) -> u32 {
        match self {
            Elem::I16 | Elem::F16 => 16,
            Elem::I32 | Elem::F32 | Elem::I16x2 | Elem::F16x2 => 32,
            Elem::I64 | Elem::F64 => 64,
        }
    }

    /// The width in bits of the value that carries the element (32 or 64).
    pub const fn carrier_bits(self) -> u32 {
        match self {
            Elem::I64 | Elem::F64 => 64,
            _ => 32,
        }
    }

    /// Whether this is a floating-point element.
    pub const fn is_float(self) -> bool {
        matches!(self, Elem::F16 | Elem::F32 | Elem::F64 | Elem::F16x2)
    }

    /// The element type of each half, for a pair.
    pub const fn half(self) -> Option<Elem> {
        match self {
            Elem::I16x2 => Some(Elem::I16),
            Elem::F16x2 => Some(Elem::F16),
            _ => None,
        }
    }
}

/// The rounding of floating-point results. The numbers are those of GCN's MODE register; x86's MXCSR has 1 for down and 2 for up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Round {
    /// To nearest, ties to even.
    #[default]
    Nearest,
    /// To the next number toward plus infinity.
    Up,
    /// To the next number toward minus infinity.
    Down,
    /// To the next number toward zero.
    Zero,
}

/// The floating-point environment of an operation, fixed when a block is lifted, so that no mode is tested in a lane.
///
/// Every engine gives the same bits, except where an operation documents an error bound. These rules hold for all float
/// operations:
///
/// * **Denormals.** With `flush_in`, float operands are flushed first; with `flush_out`, the result is flushed after it has been
///   rounded. A flushed number keeps its sign.
/// * **Rounding.** `FAdd`, `FSub`, `FMul`, `Fma`, `FMad`, `FLdexp` and the conversions to floats are rounded by `round`, as IEEE
///   754 defines also for overflow and for sums that are zero. Everything else is exact, or rounded to nearest in every mode.
/// * **NaNs.** A NaN result is the first NaN operand, made quiet, with its sign and payload: of a, b and c in this order, also if
///   a · b is invalid and c is a NaN, and with its own sign if it is subtracted. If no operand is a NaN, the result is negative,
///   quiet and without payload: `0xfe00`, `0xffc0_0000` or `0xfff8_0000_0000_0000`. Minimum, maximum, median, clamp and
///   conversions document their own rules, and operations on the sign bit do not treat NaNs specially.
///
/// No float operation traps or sets a flag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fp {
    /// The rounding of the result.
    pub round: Round,
    /// Whether denormal inputs are read as zero of their sign.
    pub flush_in: bool,
    /// Whether denormal results become zero of their sign.
    pub flush_out: bool,
    /// IEEE mode: minimum, maximum and median return a signaling NaN operand, made quiet; see [`Bin::FMin`](crate::Bin::FMin).
    /// Nothing else depends on it.
    pub ieee: bool,
}

/// A register of the guest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reg {
    /// One 32-bit uniform register (`U32`).
    S(u8),
    /// Two consecutive uniform registers, low first (`U64`).
    S64(u8),
    /// Two consecutive uniform registers as a lane mask (`Mask`).
    Mask(u8),
    /// The scalar condition code (`U32`, 0 or 1).
    Scc,
    /// One vector register (`V32`). The accumulation registers of CDNA have the numbers from 256 on.
    V(u16),
    /// Two consecutive vector registers, low first (`V64`).
    V64(u16),
    /// A hardware register by the front end's number, below
    /// [`HARDWARE_REGISTERS`] (`U32`).
    Hw(u8),
}

/// Every register can have a shadow of its width, for the tracking of undefined bits: the shadow of a vector register has the
/// register's number plus this.
///
/// Passes treat shadows like other registers. No front end makes them.
pub const SHADOW_VECTOR: u16 = 1 << 15;

/// The first register after the file of the wave: an engine may rename registers within a block, and the new ones have these
/// numbers. No front end makes them.
pub const RENAMED_VECTOR: u16 = 1 << 14;

/// The first shadow of a uniform register. SCC uses slot 127, free because EXEC has no shadow.
pub const SHADOW_UNIFORM: u8 = 128;

/// The largest number of hardware registers.
pub const HARDWARE_REGISTERS: usize = 64;

impl Reg {
    /// The uniform register that holds the low half of EXEC.
    pub const EXEC_LO: u8 = 126;

    /// EXEC as a lane mask.
    pub const EXEC: Reg = Reg::Mask(Self::EXEC_LO);

    /// The shadow of the register. Hardware registers have none.
    pub const fn shadow(self) -> Option<Reg> {
        Some(match self {
            Reg::S(n) => Reg::S(n | SHADOW_UNIFORM),
            Reg::S64(n) => Reg::S64(n | SHADOW_UNIFORM),
            Reg::Mask(n) => Reg::Mask(n | SHADOW_UNIFORM),
            Reg::Scc => Reg::S(SHADOW_UNIFORM | 127),
            Reg::V(n) => Reg::V(n | SHADOW_VECTOR),
            Reg::V64(n) => Reg::V64(n | SHADOW_VECTOR),
            Reg::Hw(_) => return None,
        })
    }

    /// The type of a read of this register.
    pub const fn ty(self) -> Ty {
        match self {
            Reg::S(_) | Reg::Scc | Reg::Hw(_) => Ty::U32,
            Reg::S64(_) => Ty::U64,
            Reg::Mask(_) => Ty::Mask,
            Reg::V(_) => Ty::V32,
            Reg::V64(_) => Ty::V64,
        }
    }
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reg::S(n) => write!(f, "s{n}"),
            Reg::S64(n) => write!(f, "s[{n}:{}]", u16::from(n) + 1),
            Reg::Mask(n) => write!(f, "m[{n}:{}]", u16::from(n) + 1),
            Reg::Scc => f.write_str("scc"),
            Reg::V(n) => write!(f, "v{n}"),
            Reg::V64(n) => write!(f, "v[{n}:{}]", u32::from(n) + 1),
            Reg::Hw(n) => write!(f, "hw{n}"),
        }
    }
}

/// A value: the index of the node of a block that defines it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(pub u32);

impl Value {
    /// The index of the defining node in its block.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
