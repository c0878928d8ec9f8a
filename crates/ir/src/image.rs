//! Descriptions of accesses to images: what of a memory operation only they
//! have.

use crate::form_memory::{Decimal, List};
use crate::table::parts;
use crate::types::Value;

/// What an access to an image does at its coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageKind {
    /// Loads, stores or changes one texel by integer coordinates, converted by
    /// the format of the resource.
    Texel,
    /// The bits of a texel as they are.
    Raw,
    /// As above, loaded with sign extension.
    RawSigned,
    /// Loads width, height, depth and the number of levels.
    Info,
    /// Filters texels around float coordinates.
    Sample,
    /// Loads one component of the four texels that a filter would use.
    Gather,
    /// Loads the level of detail that a sample would use, clamped and not.
    Lod,
}

/// Where the level of detail comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lod {
    /// The first level.
    Zero,
    /// From the differences of coordinates within four lanes.
    Implicit,
    /// As above, plus a bias in the address.
    Bias,
    /// From derivatives in the address.
    Derivatives,
    /// The last part of the address: a level, an integer where nothing is
    /// sampled.
    Explicit,
}

/// How the words of an image's resource are read, and where its levels lie: what
/// changed with gfx9.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Tiling {
    /// A tiling index names a row of a table of the chip. Slices have fields of
    /// their own, and each level its own rows (gfx6 to gfx8).
    Indexed,
    /// A swizzle mode. The last slice of an array stands where the depth of a
    /// volume does, and the levels of a slice share their rows (gfx9).
    #[default]
    Swizzled,
}

parts! {
    /// An access to an image.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Image {
        by name:
        /// What is done.
        pub kind: ImageKind,
        /// The resource: four `U64`, the lowest first.
        pub resource: [Value; 4],
        /// The sampler, if it samples: two `U64`.
        pub sampler: Option<[Value; 2]>,
        /// The dwords of the address, `V32` or `U32`: offsets, bias, comparand,
        /// derivatives, coordinates, level or clamp, as far as there are such. The
        /// resource says only when it is used how many coordinates there are, so
        /// that there are as many as could be: [`Image::address_dwords`].
        pub address = "vaddress": Vec<Value> as List,
        /// Where the level comes from.
        pub lod: Lod,
        /// Bit n: component n has data.
        pub components: u8 as Decimal,
        /// The address ends with the greatest level.
        pub clamp: bool,
        /// Texels are compared with a number in the address.
        pub compare: bool,
        /// The address begins with offsets in texels.
        pub offsets: bool,
        /// Coordinates count texels whatever the sampler says.
        pub unnormalized: bool,
        /// The address has the index of a slice.
        pub array: bool,
        /// Parts of the address have 16 bits, two a register.
        pub short: bool,
        /// How the resource is read.
        pub tiling: Tiling,
        /// Only the first two values of the resource count: it has 128 bits.
        pub narrow: bool,
    }
}

impl Image {
    /// The most dwords that an address has.
    pub const MAX_ADDRESS: usize = 12;

    /// How many dwords the address has: three coordinates, and what else there
    /// is of it. Information about an image is asked for by a level alone. Of one
    /// texel the fourth may be the level or the sample.
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
