//! Features of rows: the modifiers that an instruction takes, and properties that its operands do not show.

use bitflags::bitflags;

bitflags! {
    /// A set of features of an instruction, as in [`Row::features`](super::Row::features).
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Features: u32 {
        /// The result can be clamped (VOP3, SDWA).
        const CLAMP = 1 << 0;
        /// The result can be scaled (VOP3, SDWA).
        const OMOD = 1 << 1;
        /// op_sel picks halves of the operands (VOP3 on gfx9).
        const OP_SEL = 1 << 2;
        /// neg and abs are allowed although the type is not a float.
        const SRC_MODS = 1 << 3;
        /// LLVM's text has no VOP3 form.
        const NO_VOP3 = 1 << 4;
        /// The instruction has no SDWA form.
        const NO_SDWA = 1 << 5;
        /// The instruction has an SDWA form on gfx8 only.
        const NO_SDWA_GFX9 = 1 << 6;
        /// The instruction has no DPP form.
        const NO_DPP = 1 << 7;
        /// The name never has the suffix _e32, _e64, _sdwa or _dpp.
        const NO_SUFFIX = 1 << 8;
        /// Two 8-bit offsets replace the 16-bit one (DS).
        const TWO_OFFSETS = 1 << 9;
        /// The instruction always works on GDS.
        const GDS_ONLY = 1 << 10;
        /// The data can be returned to LDS.
        const LDS = 1 << 11;
        /// The LDS bit is always set.
        const LDS_ONLY = 1 << 12;
        /// 16-bit data: packed in pairs, or one to a dword on gfx801 to gfx805.
        const D16 = 1 << 13;
        /// Four components are returned for any DMASK.
        const GATHER = 1 << 14;
        /// The instruction has no SCRATCH form.
        const NO_SCRATCH = 1 << 15;
        /// One half of an attribute is read (interpolation in half precision).
        const HALF_ATTR = 1 << 16;
        /// The vector instruction ignores EXEC.
        const NO_EXEC = 1 << 17;
        /// Registers selected at run time take part.
        const INDEXED = 1 << 18;
        /// The encoding is one for memory, but no memory is read or written.
        const NO_MEMORY = 1 << 19;
        /// Memory is read and written, but the operands do not show it: atomics without a return value, operations between places
        /// in memory.
        const UPDATES = 1 << 20;
        /// Compare-and-swap: the data are a new value and a comparand, and half as much data is returned.
        const COMPARES = 1 << 21;
        /// The result does not depend on the values of the sources.
        const CONSTANT = 1 << 22;
        /// A result of 16 bits leaves the other half of its register unchanged on gfx9.
        const KEEPS_HALF = 1 << 23;
    }
}
