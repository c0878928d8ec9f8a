//! What an instruction can be told beside its operands, and what these do not
//! show of it.

use bitflags::bitflags;

bitflags! {
    /// Of [`Row::features`](super::Row::features).
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Features: u32 {
        /// The result can be clamped (VOP3, SDWA).
        const CLAMP = 1 << 0;
        /// The result can be scaled (VOP3, SDWA).
        const OMOD = 1 << 1;
        /// op_sel picks halves of the operands (VOP3 on gfx9).
        const OP_SEL = 1 << 2;
        /// neg and abs are allowed though the type is not a float.
        const SRC_MODS = 1 << 3;
        /// No VOP3 form in LLVM's text.
        const NO_VOP3 = 1 << 4;
        /// No SDWA form.
        const NO_SDWA = 1 << 5;
        /// An SDWA form on gfx8 only.
        const NO_SDWA_GFX9 = 1 << 6;
        /// No DPP form.
        const NO_DPP = 1 << 7;
        /// The name never carries _e32, _e64, _sdwa or _dpp.
        const NO_SUFFIX = 1 << 8;
        /// Two 8-bit offsets instead of one of 16 bits (DS).
        const TWO_OFFSETS = 1 << 9;
        /// Always works on GDS.
        const GDS_ONLY = 1 << 10;
        /// Can return its data to LDS.
        const LDS = 1 << 11;
        /// Always carries the LDS bit.
        const LDS_ONLY = 1 << 12;
        /// 16-bit data: packed in pairs, or one to a dword on gfx801 to gfx805.
        const D16 = 1 << 13;
        /// Returns four components whatever DMASK says.
        const GATHER = 1 << 14;
        /// No SCRATCH form.
        const NO_SCRATCH = 1 << 15;
        /// Reads one half of an attribute (interpolation in half precision).
        const HALF_ATTR = 1 << 16;
        /// A vector instruction that EXEC means nothing to.
        const NO_EXEC = 1 << 17;
        /// Registers that are chosen at run time take part.
        const INDEXED = 1 << 18;
        /// Of an encoding for memory, but reads and writes none.
        const NO_MEMORY = 1 << 19;
        /// Reads and writes memory, though the operands do not show it: atomics
        /// that return nothing, operations between places in memory.
        const UPDATES = 1 << 20;
        /// Compare-and-swap: the data are a new value and a comparand, and half as
        /// much comes back.
        const COMPARES = 1 << 21;
        /// The result is the same whatever the sources hold.
        const CONSTANT = 1 << 22;
        /// On gfx9 a result of 16 bits leaves the other half of its register alone.
        const KEEPS_HALF = 1 << 23;
    }
}
