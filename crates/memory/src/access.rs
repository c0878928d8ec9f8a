//! Requests: memory operations of the IR with the offsets of their operands in the files of a wave.

use wavetank_ir::{Image, MemOp};

use crate::memory_unit::MemoryUnit;
use crate::register_file::Uniform;

/// A memory operation of a block, with its operands as an engine keeps them.
pub struct Request {
    /// The operation of the IR.
    pub op: MemOp,
    /// The guest address of the instruction that makes the access.
    pub pc: u64,
    /// The slot of its [`BoundsCache`](crate::BoundsCache).
    pub cache: u32,
    /// The sources of its values, in the order: address, index, offset, soffset. Values that the space lacks are `Source::None`.
    pub sources: [Source; 4],
    /// The sources of the descriptors in parts of 64 bits: the resource, then at [`SAMPLER`](Self::SAMPLER) the sampler.
    pub descriptor: [Source; 6],
    /// Byte offsets of the lane vectors of an image's address.
    pub address: [u32; Image::MAX_ADDRESS],
    /// Byte offsets of the dwords of data: of lane vectors, or for scalar
    /// accesses in [`Uniform`].
    pub data: [u32; MemOp::MAX_DATA],
    /// Byte offset of the lane vector that receives the first dword; the other dwords follow. The result of a scalar access goes
    /// to the registers that the operation names.
    pub ret: u32,
    /// Offset of the mask in [`Uniform`] (the `all` mask for scalar accesses).
    pub mask: u32,
}

impl Request {
    /// The index of the sampler's first part in [`descriptor`](Self::descriptor).
    pub const SAMPLER: usize = 4;
}

/// The location of a value of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A value that the space lacks.
    None,
    /// A lane vector at this byte offset (64-bit lanes: low, then high).
    Vector(u32),
    /// A uniform value at this byte offset.
    Uniform(u32),
    /// A constant of 64 bits.
    Const(u64),
}

/// The context of an access: the files of a wave and the memory unit.
pub struct Context<'a, 'm> {
    /// The uniform state of the wave.
    pub uniform: *mut Uniform,
    /// The vector file of the wave.
    pub vector: *mut u8,
    /// The memory unit of this worker.
    pub memory: &'a mut MemoryUnit<'m>,
}

impl Context<'_, '_> {
    /// Returns a pointer to a lane vector.
    #[inline(always)]
    pub fn v(&self, offset: u32) -> *mut u32 {
        self.vector.wrapping_add(offset as usize).cast()
    }

    /// Returns a pointer to dword `n` of the data of all lanes.
    #[inline(always)]
    pub(crate) fn data(&self, step: &Request, n: usize) -> *const u32 {
        self.v(step.data[n]).cast_const()
    }

    /// Returns a pointer into the uniform state.
    #[inline(always)]
    pub fn u<T>(&self, offset: u32) -> *mut T {
        self.uniform
            .cast::<u8>()
            .wrapping_add(offset as usize)
            .cast()
    }
}
