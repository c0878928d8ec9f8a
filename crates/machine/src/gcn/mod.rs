//! What is particular to GCN: how a wave starts, its hardware registers, and how many fit on a chip.

pub mod aql;
mod image;
mod occupancy;
mod start;

pub use image::{Border, Clamp, ImageResource, ImageSampler, ImageType};
pub use occupancy::Occupancy;
pub use start::{Launch, SCRATCH_GRANULE, UserData};
pub use wavetank_isa::numbers::{PRIVATE_BASE, SHARED_BASE};
