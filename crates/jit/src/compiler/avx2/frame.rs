//! The layout of a block's stack frame, as offsets from the stack pointer. The first words are the block's own.

/// Bytes on the stack that a block may use.
pub const FRAME: u32 = 3072;

/// MXCSR, and what it is set to.
pub const MXCSR: [u32; 2] = [16, 20];
/// General registers that a recipe borrows.
pub const BORROWED: u32 = 24;
/// The bits of a mask of bytes.
pub const BITS: u32 = 56;
/// The halves, 32 bytes each.
pub const UNITS: u32 = 64;
/// Rows of 16 dwords that a recipe goes through lane by lane.
pub const ROWS: [u32; 2] = [2752, 2816];
