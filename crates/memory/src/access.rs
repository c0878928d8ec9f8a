//! How engines ask for an access: the wave's files, and what a memory operation names in them.

use wavetank_ir::MemOp;

use crate::files::Uniform;
use crate::unit::MemoryUnit;

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
    /// Offset of the mask in [`Uniform`] (the `all` mask for scalar accesses).
    pub mask: u32,
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

    /// A pointer into the uniform state.
    #[inline(always)]
    pub fn u<T>(&self, offset: u32) -> *mut T {
        self.uniform
            .cast::<u8>()
            .wrapping_add(offset as usize)
            .cast()
    }
}
