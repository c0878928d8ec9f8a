//! What is particular to GCN: how a wave starts, its hardware registers, and how many fit on a chip.

pub mod aql;
mod image;
mod occupancy;
mod start;

pub use image::{Border, Clamp, ImageResource, ImageSampler, ImageType};
pub use occupancy::{Occupancy, compute_units};
pub use start::{Launch, SCRATCH_GRANULE, UserData};

/// Where the LDS appears in flat addresses (gfx9): bits 63:48 are 1.
pub const SHARED_BASE: u64 = 0x0001_0000_0000_0000;
/// Where scratch appears in flat addresses (gfx9): bits 63:48 are 2.
pub const PRIVATE_BASE: u64 = 0x0002_0000_0000_0000;
