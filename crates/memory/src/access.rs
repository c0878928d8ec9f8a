//! Requests: a memory operation with the places of its operands in the wave's files.

use wavetank_ir::{Image, MemOp};

use crate::memory_unit::MemoryUnit;
use crate::register_file::Uniform;

/// A memory operation of a block, with its operands as an engine keeps them.
pub struct Request {
    /// The operation.
    pub op: MemOp,
    /// The guest address of its instruction.
    pub pc: u64,
    /// The slot of its one-entry cache of allocations.
    pub cache: u32,
    /// Where its values are, in the order: address, index, offset, soffset.
    /// Values that the space lacks are `Source::None`.
    pub sources: [Source; 4],
    /// Where the parts of its descriptors are, of 64 bits each: the resource,
    /// then at [`SAMPLER`](Self::SAMPLER) the sampler.
    pub descriptor: [Source; 6],
    /// Byte offsets of the lane vectors of an image's address.
    pub address: [u32; Image::MAX_ADDRESS],
    /// Byte offsets of the dwords of data: of lane vectors, or for scalar
    /// accesses in [`Uniform`].
    pub data: [u32; MemOp::MAX_DATA],
    /// Byte offset of the lane vector that the first dword comes back to; the
    /// others follow. Results of scalar accesses go where the operation says.
    pub ret: u32,
    /// Offset of the mask in [`Uniform`] (the `all` mask for scalar accesses).
    pub mask: u32,
}

impl Request {
    /// The first part of a sampler in [`descriptor`](Self::descriptor).
    pub const SAMPLER: usize = 4;
}

/// Where a value of a request is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// There is none.
    None,
    /// A lane vector at this byte offset (64-bit lanes: low, then high).
    Vector(u32),
    /// A uniform value at this byte offset.
    Uniform(u32),
    /// A constant.
    Const(u64),
}

/// What accesses are made with: a wave's files and the memory unit.
pub struct Context<'a, 'm> {
    /// The uniform state.
    pub uniform: *mut Uniform,
    /// The vector file.
    pub vector: *mut u8,
    /// The memory unit of this worker.
    pub memory: &'a mut MemoryUnit<'m>,
}

impl Context<'_, '_> {
    /// A pointer to a lane vector.
    #[inline(always)]
    pub fn v(&self, offset: u32) -> *mut u32 {
        self.vector.wrapping_add(offset as usize).cast()
    }

    /// A pointer to the lanes of dword `n` of the data of an access by lanes.
    #[inline(always)]
    pub(crate) fn data(&self, step: &Request, n: usize) -> *const u32 {
        self.v(step.data[n]).cast_const()
    }

    /// A pointer into the uniform state.
    #[inline(always)]
    pub fn u<T>(&self, offset: u32) -> *mut T {
        self.uniform
            .cast::<u8>()
            .wrapping_add(offset as usize)
            .cast()
    }
}
