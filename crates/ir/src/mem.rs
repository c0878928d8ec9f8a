//! Descriptions of memory operations: what one pipeline executes.

use crate::image::Image;
use crate::surface::SurfaceElement;
use crate::table::{operations, parts};
use crate::types::Value;

/// The kind of a guest instruction, for counters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Family {
    /// Scalar arithmetic.
    Salu,
    /// Vector arithmetic.
    Valu,
    /// Scalar memory.
    Smem,
    /// Buffer and image memory.
    Vmem,
    /// Flat, global and scratch memory.
    Flat,
    /// Local and global data share.
    Lds,
    /// Branches.
    Branch,
    /// Everything else: barriers, waits, messages, exports.
    Other,
}

impl Family {
    /// Every family, in the order of the counters.
    pub const ALL: [Family; 8] = [
        Family::Salu,
        Family::Valu,
        Family::Smem,
        Family::Vmem,
        Family::Flat,
        Family::Lds,
        Family::Branch,
        Family::Other,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        self.text()
    }
}

/// Clocks a program may read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Clock {
    /// The counter of the shader clock.
    Cycles,
    /// The constant 100 MHz counter.
    RealTime,
}

/// What a wave asks of a counter that all waves of a device share (GCN's global
/// wave synchronization).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GlobalSync {
    /// Sets the counter.
    Init,
    /// Adds 1 to a semaphore.
    Signal,
    /// Adds a number to a semaphore.
    SignalMany,
    /// Waits until the semaphore is above 0, and takes 1.
    Wait,
    /// Lets every wave go on that waits for the semaphore.
    Release,
    /// Waits at a barrier; the value is the number of other waves that meet at
    /// the next one.
    Barrier,
    /// Waits for its turn at an ordered counter (bits 7:6 the packer, 5:0 the
    /// counter); the value is the number of the wave.
    Turn,
    /// Hands the turn at an ordered counter to the wave with the next number.
    Pass,
    /// Hands the turn on at all counters of the packer.
    Last,
}

impl GlobalSync {
    /// Every kind, in the order of their numbers (`as usize`).
    pub const ALL: [GlobalSync; 9] = [
        GlobalSync::Init,
        GlobalSync::Signal,
        GlobalSync::SignalMany,
        GlobalSync::Wait,
        GlobalSync::Release,
        GlobalSync::Barrier,
        GlobalSync::Turn,
        GlobalSync::Pass,
        GlobalSync::Last,
    ];
}

/// What one lane, or the wave, accesses at its address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Zero-extended byte.
    U8,
    /// Sign-extended byte.
    I8,
    /// Zero-extended 16 bits.
    U16,
    /// Sign-extended 16 bits.
    I16,
    /// Whole dwords: up to 4 in a lane, up to 16 for the wave.
    Dwords(u8),
}

impl Access {
    /// The number of bytes in memory.
    pub const fn bytes(self) -> u32 {
        match self {
            Access::U8 | Access::I8 => 1,
            Access::U16 | Access::I16 => 2,
            Access::Dwords(n) => n as u32 * 4,
        }
    }
}

/// Which 16 bits of a register an access of one byte or two uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Half {
    /// The register as a whole (loads extend to 32 bits).
    #[default]
    Whole,
    /// D16: bits 15:0; the others are kept.
    Low,
    /// D16_HI: bits 31:16; the others are kept.
    High,
    /// D16 of converted elements, a component a register: bits 15:0; the others
    /// become 0.
    Each,
}

/// Read-modify-write operations, 32 or 64 bits wide; at elements of surfaces 16
/// bits too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Rmw {
    Swap,
    CmpSwap,
    Add,
    Sub,
    RevSub,
    MinS,
    MinU,
    MaxS,
    MaxU,
    And,
    Or,
    Xor,
    /// tmp ≥ data ? 0 : tmp + 1 (unsigned).
    Inc,
    /// tmp = 0 or tmp > data ? data : tmp − 1 (unsigned).
    Dec,
    /// (tmp & !data) | data2.
    MaskOr,
    /// tmp ≥ data ? tmp − data : tmp + data2.
    Wrap,
    /// Conditional exchange (`ds_condxchg32_rtn_b64`): each dword whose top bit
    /// of data is set is replaced by data without that bit.
    CondXchg,
    FCmpSwap,
    FMin,
    FMax,
    FAdd,
    /// A signed sum that stays at the ends of its range.
    AddSatS,
    /// The smaller of two floats: a number before a NaN, -0 before +0. Of two NaNs
    /// the first, made quiet.
    FMinNum,
    /// The larger one, in the same way.
    FMaxNum,
    /// A sum of floats in which denormals, as operands and as the result, are
    /// zeros of their sign, and a NaN has all bits set but the sign.
    FAddFlush,
    /// Sums of the halves, as floats of 16 bits, with denormals and NaNs as above.
    PkFAddFlush,
    /// The smaller ones of the halves: a number before a NaN, -0 before +0.
    PkFMinFlush,
    /// The larger ones, in the same way.
    PkFMaxFlush,
}

/// How the words of a buffer descriptor are read, and which accesses count its
/// records instead of its bytes: what changed from one generation of chips to
/// the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dialect {
    /// All with a stride count records. The stride has 14 bits, and a field
    /// says how large the elements of a swizzled buffer are (gfx6, gfx7).
    Strided,
    /// Those of swizzled buffers count records. With ADD_TID the stride has 18
    /// bits, of which four stand in place of the format (gfx8).
    Swizzled,
    /// Those with an index count records, and the elements of a swizzled buffer
    /// have 4 bytes; else as before (gfx9).
    #[default]
    Indexed,
}

/// How the elements of a buffer become registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Elements {
    /// Bits as they are.
    #[default]
    Plain,
    /// By the format in the descriptor.
    Resource,
    /// By these numbers of a data format and a number format.
    Typed(u8, u8),
}

operations! {
    /// Where an access goes and how its address is made.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub enum Space,
    /// Whether elements are converted on their way.
    pub(crate) converts: bool {
        /// Per-lane 64-bit addresses in global memory: `address + offset`.
        Global {
            /// `V64`, or `U64` for the same address in each lane.
            address: Value,
            /// A `V32` offset that is zero-extended and added, if any.
            index: Option<Value>,
        } = "global", (W64, W32), false;
        /// Per-lane 64-bit addresses that may fall in the LDS or scratch aperture.
        Flat {
            /// `V64`.
            address: Value,
            /// As for `Lds`.
            limit: Option<Value>,
        } = "flat", (W64, U32), false;
        /// Per-lane scratch offsets in bytes.
        Scratch {
            /// `V32` or `U32`.
            address: Value,
        } = "scratch", (W32), false;
        /// Per-lane LDS offsets in bytes.
        Lds {
            /// `V32` or `U32`.
            address: Value,
            /// `U32`: where the LDS ends at the latest, in bytes. What has a limit is aligned: low bits of its addresses
            /// are ignored.
            limit: Option<Value>,
        } = "lds", (W32, U32), false;
        /// A buffer descriptor.
        Buffer {
            /// The descriptor: two `U64`, the low one first.
            resource: [Value; 2],
            /// How it is read.
            dialect: Dialect,
            /// `V64` (ADDR64): added to the base, and then there is neither range nor record.
            address: Option<Value>,
            /// `V32` index (IDXEN).
            index: Option<Value>,
            /// `V32` offset (OFFEN).
            offset = "voffset": Option<Value>,
            /// `U32` scalar offset.
            soffset: Value,
            /// How its elements are converted.
            format: Elements,
        } = "buffer", (U64, U64, W64, W32, W32, U32), *format != Elements::Plain;
        /// Per-lane offsets in bytes in memory that all work-groups of a device
        /// share, which is no part of global memory.
        Gds {
            /// `V32` or `U32`.
            address: Value,
            /// `U32`: where it begins in bits 31:16, and its size in bits 15:0, in bytes.
            window: Value,
        } = "gds", (W32, U32), false;
        /// Two LDS offsets a lane, for an atomic whose operand stands in LDS too.
        LdsPair {
            /// `V32` or `U32`: what is changed.
            address: Value,
            /// `V32` or `U32`: the operand.
            other: Value,
            /// As for `Lds`.
            limit: Option<Value>,
        } = "lds_pair", (W32, W32, U32), false;
        /// An image.
        Image(image: Image) = "image", image(image), true;
        /// An element of a surface that the device has in a table.
        Surface(element: SurfaceElement) = "surface", surface(element), false;
        /// A uniform 64-bit address (scalar loads and stores).
        Scalar {
            /// `U64`.
            address: Value,
            /// `U32` byte offset, if any.
            index: Option<Value>,
        } = "scalar", (U64, U32), false;
        /// Scalar access through a buffer descriptor.
        ScalarBuffer {
            /// The descriptor: two `U64`, the low one first.
            resource: [Value; 2],
            /// `U32` byte offset, if any.
            index: Option<Value>,
        } = "scalar_buffer", (U64, U64, U32), false;
    }
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemKind {
    /// Memory to registers, or to a value.
    Load,
    /// Values to memory.
    Store,
    /// Read-modify-write; 32 or 64 bits, at surfaces 16 too.
    Atomic(Rmw),
}

/// How many accesses may be in flight when a wave goes on, by the counters that
/// it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WaitCnt {
    /// VM_CNT: vector memory.
    pub vm: Option<u8>,
    /// EXP_CNT: exports, and GDS.
    pub exp: Option<u8>,
    /// LGKM_CNT: LDS, GDS, scalar memory, messages.
    pub lgkm: Option<u8>,
}

/// The counter that is raised until the access is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// VM_CNT.
    Vm,
    /// LGKM_CNT.
    Lgkm,
    /// LGKM_CNT and VM_CNT (flat).
    Both,
}

/// A span of registers that receives data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataReg {
    /// Vector registers from this one on.
    V(u16),
    /// Uniform registers from this one on.
    S(u8),
}

parts! {
    /// One access to memory by all lanes of `mask`.
    ///
    /// **Faults.** Every lane is checked before a register or memory changes, so
    /// that a fault leaves both as they were, with the wave at the instruction. It
    /// is told of the lowest lane whose memory is not there; of a flat access of
    /// those lanes first that are in global memory, then of those in scratch, then
    /// of those in LDS. Only then come atomics that are not aligned to their width,
    /// the lowest lane first. (Loads and stores of buffers that must be aligned are
    /// looked at before their memory is.) A place that is out of range of a buffer,
    /// of LDS or GDS reads 0 and drops what is written, and is no fault unless that
    /// is asked for. Without an active lane nothing is looked at.
    ///
    /// **Order.** Then the lanes go from the lowest up, each with its loads before
    /// its results: results may go where address and data were read, and of lanes
    /// that store to the same place the highest wins. A flat access goes through
    /// global memory, then scratch, then LDS.
    ///
    /// **Data.** What goes in are values, one for each dword: what a register held
    /// where it was read, whatever has been written to it since. Of a uniform one
    /// every lane has the same. A front end says at the read what a register past
    /// the end of its file holds.
    ///
    /// **Results.** What comes back goes to the active lanes of the registers from
    /// `ret` on; the others keep what they have. Where that is past the end of the
    /// file of vector registers, nothing is done at all; uniform registers past the
    /// end of theirs are not written. A load of one register by lanes that has no
    /// `ret` has a result instead, a `V32`, which is 0 in lanes that are off.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct MemOp {
        /// What it does.
        pub kind: MemKind,
        /// Where.
        pub space: Space,
        /// How much, and how it is extended. Where elements are converted: the
        /// number of components in dwords.
        pub access: Access,
        /// The counter it uses.
        pub counter: Counter,
        by name:
        /// A constant that is added to the address, in bytes.
        pub offset: i64,
        /// Which half of the register a 16-bit access uses. Where elements are
        /// converted, `Low` is for components of 16 bits, two a register, `Each` for
        /// one a register, and `High` for one in the high half.
        pub half: Half,
        /// What is stored, or the operand of an atomic and then its second one, if
        /// it has two (for compare-and-swap the new value, then the comparand): a
        /// `V32` or `U32` for each dword, a `U32` where the wave accesses. Values of
        /// 16 bits stand in the half that `half` says.
        pub data: Vec<Value>,
        /// Registers that receive what was loaded, or the value before an atomic.
        pub ret: Option<DataReg>,
        /// The active lanes; `None` for scalar accesses.
        pub mask: Option<Value>,
        /// Globally coherent.
        pub glc: bool,
        /// System level coherent.
        pub slc: bool,
        /// It is done to the [shadow](crate::SHADOW_VECTOR) of what is there: data, and what comes back, are bits of which
        /// each says that one is undefined. Where the access itself would be denied, nothing is done.
        pub shadow: bool,
    }
}

impl Rmw {
    /// Whether there are two operands. The minimum and the maximum of floats
    /// may have a second one, which is compared in place of the first.
    pub const fn needs_two(self) -> bool {
        matches!(self, Rmw::CmpSwap | Rmw::FCmpSwap | Rmw::MaskOr | Rmw::Wrap)
    }
}

impl MemOp {
    /// The most dwords of data that an access has: of the whole wave 16.
    pub const MAX_DATA: usize = 16;

    /// How many registers, or values, hold what is loaded, stored, or an operand
    /// of an atomic.
    pub fn registers(&self) -> u32 {
        let dwords = self.access.bytes().div_ceil(4);
        match self.half {
            Half::Whole | Half::Each => dwords,
            // Components of 16 bits, two a register.
            Half::Low | Half::High => dwords.div_ceil(2),
        }
    }

    /// Whether lanes get something back that other waves may have written. Scalar loads give no such thing: what they
    /// read is constant while a kernel runs.
    pub fn loads(&self) -> bool {
        let scalar = matches!(
            self.space,
            Space::Scalar { .. } | Space::ScalarBuffer { .. }
        );
        !scalar && (self.kind == MemKind::Load || self.ret.is_some())
    }
}
