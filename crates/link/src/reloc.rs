//! The relocations of AMD GPUs (`R_AMDGPU_*`): how a place is changed when addresses are known.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Relocation Records". S is the symbol's address, A the addend, P the
//! address of the place, G the symbol's entry in the global offset table, B the address that the object is loaded at.

/// Nothing.
pub const NONE: u32 = 0;
/// Lower 32 bits of S + A.
pub const ABS32_LO: u32 = 1;
/// Upper 32 bits of S + A.
pub const ABS32_HI: u32 = 2;
/// S + A, 64 bits.
pub const ABS64: u32 = 3;
/// S + A − P, 32 bits.
pub const REL32: u32 = 4;
/// S + A − P, 64 bits.
pub const REL64: u32 = 5;
/// S + A, 32 bits.
pub const ABS32: u32 = 6;
/// G + A − P, 32 bits.
pub const GOTPCREL: u32 = 7;
/// Lower 32 bits of G + A − P.
pub const GOTPCREL32_LO: u32 = 8;
/// Upper 32 bits of G + A − P.
pub const GOTPCREL32_HI: u32 = 9;
/// Lower 32 bits of S + A − P.
pub const REL32_LO: u32 = 10;
/// Upper 32 bits of S + A − P.
pub const REL32_HI: u32 = 11;
/// B + A, 64 bits: what a loader does.
pub const RELATIVE64: u32 = 13;
/// (S + A − P − 4) / 4, 16 bits: the distance of a branch.
pub const REL16: u32 = 14;
