//! Images: their descriptors, the places of their texels, and loads, stores, atomics and samples of them (Vega ISA, 8.2
//! "Vector Memory Image Instructions").
//!
//! A space of the memory unit, on the parts of [`wavetank_memory::for_spaces`]: [`access()`] finds the texels of all lanes by the
//! descriptors of a [`Request`](wavetank_memory::Request), checks them, and moves them. `docs/reference/images.md` describes the
//! layouts of texels, and the texels that a sample reads.
//!
//! ```
//! use wavetank_images::{ImageResource, ImageType};
//!
//! // A plane of 16 x 8 texels of 8_8_8_8 (10) unorm (0), in rows of 64, whose red and blue are exchanged.
//! let image = ImageResource {
//!     select: [6, 5, 4, 7],
//!     ..ImageResource::plain(ImageType::D2, 0x10_0000, [10, 0], [16, 8, 1], 64)
//! };
//! // Its descriptor, as a program has it in eight scalar registers.
//! let words = image.to_words();
//! assert_eq!(ImageResource::from_words(words), Some(image));
//! // A store of orange leaves these bytes.
//! let orange = [1.0, 0.5, 0.0, 1.0].map(f32::to_bits);
//! assert_eq!(image.encode(orange), Some(vec![0, 128, 255, 255]));
//! ```
//!
//! Unsafe code here rests on the contracts of `docs/explanation/unsafe.md`, which comments name.

// Lanes index several arrays at once.
#![allow(clippy::needless_range_loop)]
#![warn(missing_docs)]

mod access;
mod all_lanes;
mod cube;
mod descriptor;
mod filter;
mod lod;
mod operands;
mod per_lane;
mod sample;
mod surface;
mod texel_selection;

pub use access::access;
pub use descriptor::{Border, Clamp, ImageResource, ImageSampler, ImageType};
pub use operands::Refused;
pub use wavetank_ir::Tiling;
