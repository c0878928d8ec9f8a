//! Features of rows: the modifiers that an instruction takes, and properties that its operands do not show.

use bitflags::bitflags;

bitflags! {
    /// A set of features of an instruction, as in [`Row::features`](super::Row::features).
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Features: u64 {
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
        /// The instruction has an SDWA form although an operand is wider than a register.
        const WIDE_SDWA = 1 << 24;
        /// A truth table of 8 bits replaces neg, abs and omod.
        const BITOP3 = 1 << 25;
        /// op_sel has four values, the last two for the byte of the destination (VOP3).
        const OP_SEL_BYTE = 1 << 26;
        /// op_sel picks halves of the operands from gfx950 on (VOP3).
        const OP_SEL_950 = 1 << 27;
        /// The SDWA form selects no part of the destination, which is written as a whole.
        const WHOLE_DST = 1 << 28;
        /// The data can be returned to LDS from gfx950 on.
        const LDS_950 = 1 << 29;
        /// The instruction has no operands, but names caches by their bits from gfx942 on.
        const CACHES = 1 << 30;
        /// Lanes without EXEC can be read: FI, and BOUND_CTRL, in the place of op_sel (VOP3).
        const FETCHES_INACTIVE = 1 << 31;
        /// The packed instruction takes op_sel, but neither negates nor clamps (VOP3P).
        const SELECTS_ONLY = 1 << 32;
    }
}
