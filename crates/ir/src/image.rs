//! Descriptions of image accesses: the fields that only they have.

use crate::form_memory::{Decimal, List};
use crate::table::parts;
use crate::types::Value;

/// The kind of an access to an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageKind {
    /// Loads, stores or changes one texel at integer coordinates, converted by the format of the resource.
    Texel,
    /// Accesses the bits of a texel without conversion.
    Raw,
    /// Accesses the bits of a texel without conversion, sign-extended when loaded.
    RawSigned,
    /// Loads width, height, depth and the number of levels.
    Info,
    /// Filters texels around float coordinates.
    Sample,
    /// Loads one component of the four texels that a filter would use.
    Gather,
    /// Loads the level of detail that a sample would use, clamped and not clamped.
    Lod,
}

/// The source of the level of detail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lod {
    /// The first level in all lanes.
    Zero,
    /// The differences of coordinates within groups of four lanes.
    Implicit,
    /// The differences of coordinates, plus a bias in the address.
    Bias,
    /// The derivatives in the address.
    Derivatives,
    /// The last part of the address: a level, which is an integer if nothing is sampled.
    Explicit,
}

/// The layout of the words of an image resource, and of its levels in memory, both of which changed with gfx9.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Tiling {
    /// A tiling index selects a row of a table of the chip. Slices have fields of their own, and each level has its own rows
    /// (gfx6 to gfx8).
    Indexed,
    /// A swizzle mode. The last slice of an array uses the field of a volume's depth, and the levels of a slice share their rows
    /// (gfx9).
    #[default]
    Swizzled,
}

parts! {
    /// The fields of an access to an image.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Image {
        by name:
        /// The kind of the access.
        pub kind: ImageKind,
        /// The resource: four `U64`, the lowest first.
        pub resource: [Value; 4],
        /// The sampler of an access that samples: two `U64`.
        pub sampler: Option<[Value; 2]>,
        /// The dwords of the address, `V32` or `U32`: offsets, bias, comparand, derivatives, coordinates, level or clamp, those
        /// that exist. The number of coordinates depends on the resource and is known only when it is used, so the address has
        /// the largest number: [`Image::address_dwords`].
        pub address = "vaddress": Vec<Value> as List,
        /// The source of the level of detail.
        pub lod: Lod,
        /// The components that have data, a bit for each.
        pub components: u8 as Decimal,
        /// Whether the address ends with an upper limit of the level.
        pub clamp: bool,
        /// Whether texels are compared with a number in the address.
        pub compare: bool,
        /// Whether the address begins with offsets in texels.
        pub offsets: bool,
        /// Whether coordinates count texels, whatever the sampler says.
        pub unnormalized: bool,
        /// Whether the address contains the index of a slice.
        pub array: bool,
        /// Whether parts of the address have 16 bits, two a register.
        pub short: bool,
        /// The layout of the resource's words.
        pub tiling: Tiling,
        /// Whether the resource has 128 bits, so that only its first two values count.
        pub narrow: bool,
    }
}

impl Image {
    /// The largest number of dwords of an address.
    pub const MAX_ADDRESS: usize = 12;

    /// The number of dwords of the address: three coordinates and the other parts. A query of an image has only a level. For an
    /// access to one texel, the fourth dword may be the level or the sample.
    pub const fn address_dwords(&self) -> usize {
        const COORDINATES: usize = 3;
        match self.kind {
            ImageKind::Info => return 1,
            ImageKind::Texel | ImageKind::Raw | ImageKind::RawSigned => return COORDINATES + 1,
            ImageKind::Sample | ImageKind::Gather | ImageKind::Lod => {}
        }
        let of_level = match self.lod {
            Lod::Zero | Lod::Implicit => 0,
            Lod::Bias | Lod::Explicit => 1,
            Lod::Derivatives => 2 * COORDINATES,
        };
        COORDINATES + of_level + self.offsets as usize + self.compare as usize + self.clamp as usize
    }
}
