//! The stack frame of a block, as offsets from the stack pointer. The first words belong to the block itself.

/// The size of the stack frame in bytes: what this file lists, or, in blocks of AVX-512, converted factors and results of products of matrices
/// (`product`).
pub(crate) const FRAME: u32 = 10496;

/// The slots of the old MXCSR, and of its temporary value.
pub(super) const MXCSR: [u32; 2] = [16, 20];
/// The slots of general registers that a recipe borrows.
pub(super) const BORROWED: u32 = 24;
/// The slot for the bits of a mask of bytes.
pub(super) const BITS: u32 = 56;
/// The spill slots of halves, 32 bytes each.
pub(super) const UNITS: u32 = 64;
/// The slots of rows of 16 dwords that a recipe accesses lane by lane.
pub(super) const ROWS: [u32; 2] = [2752, 2816];
