//! Descriptions of memory operations: space, address, data and ordering.

use crate::image::Image;
use crate::surface_atomic::SurfaceAtomic;
use crate::table::{operations, parts};
use crate::types::Value;

/// The kind of a guest instruction, for counters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Family {
    /// Arithmetic and moves of scalar registers.
    Salu,
    /// Arithmetic and moves of vector registers.
    Valu,
    /// Loads and stores of scalar registers.
    Smem,
    /// Buffer and image memory.
    Vmem,
    /// Flat, global and scratch memory.
    Flat,
    /// Local and global data share.
    Lds,
    /// Branches and jumps of a wave.
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

/// The clocks that a program may read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Clock {
    /// The counter of the shader clock.
    Cycles,
    /// The counter of the constant 100 MHz clock.
    RealTime,
}

/// An operation on a counter that all waves of a device share (GCN's global wave synchronization).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GlobalSync {
    /// Sets the counter of the resource.
    Init,
    /// Adds 1 to a semaphore.
    Signal,
    /// Adds a number to a semaphore.
    SignalMany,
    /// Waits until the semaphore is above 0, and takes 1.
    Wait,
    /// Releases every wave that waits for the semaphore.
    Release,
    /// Waits at a barrier; the value is the number of other waves that meet at the next barrier.
    Barrier,
    /// Waits for its turn at an ordered counter (bits 7:6 the packer, 5:0 the
    /// counter); the value is the number of the wave.
    Turn,
    /// Passes the turn at an ordered counter to the wave with the next number.
    Pass,
    /// Passes the turn at all counters of the packer.
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

/// The width of an access at the address of a lane or the wave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// A byte, zero-extended when loaded.
    U8,
    /// A byte, sign-extended when loaded.
    I8,
    /// 16 bits, zero-extended when loaded.
    U16,
    /// 16 bits, sign-extended when loaded.
    I16,
    /// Whole dwords: up to 4 for a lane, up to 16 for the wave.
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

/// The half of a register that an access of one byte or two uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Half {
    /// The register as a whole (loads extend to 32 bits).
    #[default]
    Whole,
    /// D16: bits 15:0; the others are kept.
    Low,
    /// D16_HI: bits 31:16; the others are kept.
    High,
    /// A load to bits 15:0 that clears the others, as of registers with ECC.
    LowAlone,
    /// A load to bits 31:16 that clears the others.
    HighAlone,
    /// D16 of converted elements, one component a register: bits 15:0; the others become 0.
    Each,
}

/// Read-modify-write operations, 32 or 64 bits wide, for elements of surfaces also 16 bits.
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
    /// Conditional exchange (`ds_condxchg32_rtn_b64`): a dword of data whose top bit is set replaces the dword in memory, without
    /// that bit.
    CondXchg,
    FCmpSwap,
    FMin,
    FMax,
    FAdd,
    /// A sum of floats. Denormal operands and results are zeros of their sign; NaNs are as in `FAdd`.
    FAddFtz,
    /// The sums of the halves, as floats of 16 bits, with NaNs as in `FAdd`.
    PkFAdd,
    /// The sums of the halves, as the upper halves of single precision (bfloat16), with NaNs as in `FAdd`.
    PkBfAdd,
    /// A signed sum, saturating.
    AddSatS,
    /// The smaller of two floats: a number before a NaN, -0 before +0. Two NaNs give the first, made quiet.
    FMinNum,
    /// The larger of two floats, with NaNs and zeros as for the smaller.
    FMaxNum,
    /// A sum of floats. Denormal operands and results are zeros of their sign, and a NaN result has all bits set but the sign.
    FAddFlush,
    /// The sums of the halves, as floats of 16 bits, with denormals and NaNs as in `FAddFlush`.
    PkFAddFlush,
    /// The smaller of the halves: a number before a NaN, -0 before +0.
    PkFMinFlush,
    /// The larger of the halves, with NaNs and zeros as for the smaller.
    PkFMaxFlush,
}

/// The layout of a buffer descriptor, and the accesses for which it counts records instead of bytes: both changed between
/// generations of chips.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dialect {
    /// Every buffer with a stride counts records. The stride has 14 bits, and a field has the element size of a swizzled buffer
    /// (gfx6, gfx7).
    Strided,
    /// Swizzled buffers count records. With ADD_TID, the stride has 18 bits, four of them in place of the format (gfx8).
    Swizzled,
    /// Accesses with an index count records, and the elements of a swizzled buffer have 4 bytes; else as in gfx8 (gfx9).
    #[default]
    Indexed,
    /// As `Indexed`, and the scalar offset counts in the range check of bytes (CDNA).
    Summed,
}

impl Dialect {
    /// Whether the layout is that of gfx9: `Indexed` or `Summed`.
    pub const fn is_of_gfx9(self) -> bool {
        matches!(self, Dialect::Indexed | Dialect::Summed)
    }
}

/// The conversion of a buffer's elements to registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Elements {
    /// No conversion: the bits are moved unchanged.
    #[default]
    Plain,
    /// By the format in the descriptor.
    Resource,
    /// By these numbers of a data format and a number format.
    Typed(u8, u8),
}

operations! {
    /// The address space of an access, with the parts of its address.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub enum Space,
    /// Whether elements are converted between memory and registers.
    pub(crate) converts: bool {
        /// Per-lane 64-bit addresses in global memory: `address + offset`.
        Global {
            /// A `V64`, or a `U64` for the same address in each lane.
            address: Value,
            /// A `V32` offset that is zero-extended and added, if any.
            index: Option<Value>,
        } = "global", (W64, W32), false;
        /// Per-lane 64-bit addresses that may fall in the LDS or scratch aperture.
        Flat {
            /// A `V64` of the addresses.
            address: Value,
            /// The end of the LDS, as for `Lds`.
            limit: Option<Value>,
        } = "flat", (W64, U32), false;
        /// Per-lane scratch offsets in bytes.
        Scratch {
            /// A `V32` or `U32` offset.
            address: Value,
        } = "scratch", (W32), false;
        /// Per-lane LDS offsets in bytes.
        Lds {
            /// A `V32` or `U32` offset.
            address: Value,
            /// A `U32`: an upper bound for the end of the LDS in bytes. Accesses with a limit are aligned: low bits of their
            /// addresses are ignored.
            limit: Option<Value>,
        } = "lds", (W32, U32), false;
        /// Per-lane addresses through a buffer descriptor.
        Buffer {
            /// The descriptor: two `U64`, the low one first.
            resource: [Value; 2],
            /// The layout of the descriptor.
            dialect: Dialect,
            /// A `V64` (ADDR64) that is added to the base; then there is no range check and no record.
            address: Option<Value>,
            /// A `V32` index (IDXEN).
            index: Option<Value>,
            /// A `V32` offset (OFFEN).
            offset = "voffset": Option<Value>,
            /// A `U32` offset for all lanes.
            soffset: Value,
            /// The conversion of the elements.
            format: Elements,
        } = "buffer", (U64, U64, W64, W32, W32, U32), *format != Elements::Plain;
        /// Per-lane byte offsets in memory that all work-groups of a device share, which is not part of global memory.
        Gds {
            /// A `V32` or `U32` offset.
            address: Value,
            /// A `U32`: the start of the window in bits 31:16, and its size in bits 15:0, in bytes.
            window: Value,
        } = "gds", (W32, U32), false;
        /// Two LDS offsets a lane, for an atomic whose operand is in LDS too.
        LdsPair {
            /// A `V32` or `U32` offset of the changed data.
            address: Value,
            /// A `V32` or `U32` offset of the operand.
            other: Value,
            /// The end of the LDS, as for `Lds`.
            limit: Option<Value>,
        } = "lds_pair", (W32, W32, U32), false;
        /// A texel or texels of an image.
        Image(image: Image) = "image", image(image), true;
        /// An element of a surface in the device's table.
        Surface(element: SurfaceAtomic) = "surface", surface(element), false;
        /// A uniform 64-bit address (scalar loads and stores).
        Scalar {
            /// A `U64` address of the wave.
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

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemKind {
    /// A load: memory to registers, or to a value.
    Load,
    /// A store: values to memory.
    Store,
    /// A read-modify-write of 32 or 64 bits, at surfaces also 16.
    Atomic(Rmw),
}

/// The largest numbers of accesses that may be in flight when a wave continues, for each wait counter.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WaitCnt {
    /// VM_CNT: accesses to vector memory.
    pub vm: Option<u8>,
    /// EXP_CNT: exports and GDS.
    pub exp: Option<u8>,
    /// LGKM_CNT: LDS, GDS, scalar memory, messages.
    pub lgkm: Option<u8>,
}

/// The wait counter of an access while it is in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// VM_CNT for vector memory.
    Vm,
    /// LGKM_CNT for LDS, GDS and scalar memory.
    Lgkm,
    /// LGKM_CNT and VM_CNT for flat accesses.
    Both,
}

/// A span of registers that receives data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataReg {
    /// Vector registers, by the number of the first.
    V(u16),
    /// Uniform registers, by the number of the first.
    S(u8),
}

parts! {
    /// One access to memory by all lanes of `mask`.
    ///
    /// **Faults.** Every lane is checked before a register or memory changes. So a fault leaves both as they were, with the wave
    /// at the instruction, and names the lowest lane whose memory does not exist. For a flat access, lanes in global memory are
    /// checked first, then those in scratch, then those in LDS. Atomics are checked for alignment to their width after that, the
    /// lowest lane first. (The alignment of buffer loads and stores, if required, is checked before their memory.) A place out of
    /// range of a buffer, of LDS or GDS reads 0 and drops writes, without a fault unless that option is set. Without an active
    /// lane nothing is checked.
    ///
    /// **Order.** The lanes are accessed from the lowest up, and each lane's loads precede its results. Results may overwrite the
    /// registers of address and data, and if several lanes store to one place, the highest wins. A flat access accesses global
    /// memory, then scratch, then LDS.
    ///
    /// **Data.** The operands are values, one for each dword: the contents of a register when it was read, whatever has been
    /// written to it since. A uniform value is the same in every lane. For a register past the end of its file, a front end
    /// defines the value at the read.
    ///
    /// **Results.** Results go to the active lanes of the registers from `ret` on; inactive lanes keep their values. If these are
    /// past the end of the vector file, the access has no effect at all; uniform registers past the end of their file are not
    /// written. A load of one register by lanes without `ret` has a result instead, a `V32`, which is 0 in inactive lanes.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct MemOp {
        /// The kind of the access.
        pub kind: MemKind,
        /// The address space and the address.
        pub space: Space,
        /// The width of the access, and its extension. For converted elements, the number of components in dwords.
        pub access: Access,
        /// The wait counter of the access.
        pub counter: Counter,
        by name:
        /// A constant that is added to the address, in bytes.
        pub offset: i64,
        /// The half of the register that a 16-bit access uses. For converted elements, `Low` and `LowAlone` mean components of 16
        /// bits, two a register, `Each` one a register, and `High` and `HighAlone` one in the high half.
        pub half: Half,
        /// The data to store, or the operands of an atomic (for compare-and-swap the new value, then the comparand): a `V32` or
        /// `U32` for each dword, a `U32` if the wave accesses. Values of 16 bits are in the half that `half` selects.
        pub data: Vec<Value>,
        /// The registers that receive the loaded data, or the value before an atomic.
        pub ret: Option<DataReg>,
        /// The active lanes; `None` for scalar accesses.
        pub mask: Option<Value>,
        /// Globally coherent (GLC bit).
        pub glc: bool,
        /// System level coherent (SLC bit).
        pub slc: bool,
        /// Whether the access is made to the [shadow](crate::SHADOW_VECTOR) of its place: each bit of data and results says that
        /// one bit is undefined. If the access itself would be denied, this one has no effect.
        pub shadow: bool,
    }
}

impl Rmw {
    /// Whether there are two operands. The minimum and the maximum of floats may have a second one, which is compared in place of
    /// the first.
    pub const fn needs_two(self) -> bool {
        matches!(self, Rmw::CmpSwap | Rmw::FCmpSwap | Rmw::MaskOr | Rmw::Wrap)
    }
}

impl MemOp {
    /// The largest number of dwords of data of an access, that of a whole wave.
    pub const MAX_DATA: usize = 16;

    /// The number of registers or values that hold the loaded or stored data, or an operand of an atomic.
    pub fn registers(&self) -> u32 {
        let dwords = self.access.bytes().div_ceil(4);
        match self.half {
            Half::Whole | Half::Each => dwords,
            // Components of 16 bits, two a register.
            Half::Low | Half::High | Half::LowAlone | Half::HighAlone => dwords.div_ceil(2),
        }
    }

    /// Whether the access returns data that other waves may have written. Scalar loads do not: the memory that they read is
    /// constant while a kernel runs.
    pub fn loads(&self) -> bool {
        let scalar = matches!(
            self.space,
            Space::Scalar { .. } | Space::ScalarBuffer { .. }
        );
        !scalar && (self.kind == MemKind::Load || self.ret.is_some())
    }
}
