//! What an instruction can be told beside its operands, and what these do not
//! show of it: bits of [`Row::features`](super::Row::features).

/// The result can be clamped (VOP3, SDWA).
pub const CLAMP: u32 = 1 << 0;
/// The result can be scaled (VOP3, SDWA).
pub const OMOD: u32 = 1 << 1;
/// op_sel picks halves of the operands (VOP3 on gfx9).
pub const OP_SEL: u32 = 1 << 2;
/// neg and abs are allowed though the type is not a float.
pub const SRC_MODS: u32 = 1 << 3;
/// No VOP3 form in LLVM's text.
pub const NO_VOP3: u32 = 1 << 4;
/// No SDWA form.
pub const NO_SDWA: u32 = 1 << 5;
/// An SDWA form on gfx8 only.
pub const NO_SDWA_GFX9: u32 = 1 << 6;
/// No DPP form.
pub const NO_DPP: u32 = 1 << 7;
/// The name never carries _e32, _e64, _sdwa or _dpp.
pub const NO_SUFFIX: u32 = 1 << 8;
/// Two 8-bit offsets instead of one of 16 bits (DS).
pub const TWO_OFFSETS: u32 = 1 << 9;
/// Always works on GDS.
pub const GDS_ONLY: u32 = 1 << 10;
/// Can return its data to LDS.
pub const LDS: u32 = 1 << 11;
/// Always carries the LDS bit.
pub const LDS_ONLY: u32 = 1 << 12;
/// 16-bit data: packed in pairs, or one to a dword on gfx801 to gfx805.
pub const D16: u32 = 1 << 13;
/// Returns four components whatever DMASK says.
pub const GATHER: u32 = 1 << 14;
/// No SCRATCH form.
pub const NO_SCRATCH: u32 = 1 << 15;
/// Reads one half of an attribute (interpolation in half precision).
pub const HALF_ATTR: u32 = 1 << 16;
/// A vector instruction that EXEC means nothing to.
pub const NO_EXEC: u32 = 1 << 17;
/// Registers that are chosen at run time take part.
pub const INDEXED: u32 = 1 << 18;
/// Of an encoding for memory, but reads and writes none.
pub const NO_MEMORY: u32 = 1 << 19;
/// Reads and writes memory, though the operands do not show it: atomics
/// that return nothing, operations between places in memory.
pub const UPDATES: u32 = 1 << 20;
/// Compare-and-swap: the data are a new value and a comparand, and half as
/// much comes back.
pub const COMPARES: u32 = 1 << 21;
/// The result is the same whatever the sources hold.
pub const CONSTANT: u32 = 1 << 22;
/// On gfx9 a result of 16 bits leaves the other half of its register alone.
pub const KEEPS_HALF: u32 = 1 << 23;
