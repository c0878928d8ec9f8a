//! Descriptions of accesses to images: what of a memory operation only they
//! have.

/// What an access to an image does at its coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageKind {
    /// Loads, stores or changes one texel by integer coordinates, converted by
    /// the format of the resource.
    Texel,
    /// The bits of a texel as they are.
    Raw,
    /// The same, loaded with its sign.
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
    /// The same plus a bias in the address.
    Bias,
    /// From derivatives in the address.
    Derivatives,
    /// The last part of the address: a level, an integer where nothing is
    /// sampled.
    Explicit,
}

/// An access to an image. The address is a span of vector registers: offsets,
/// bias, comparand, derivatives, coordinates, level or clamp, as far as there
/// are such.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Image {
    /// What is done.
    pub kind: ImageKind,
    /// The first of the eight uniform registers of the resource.
    pub resource: u8,
    /// The first of the four of the sampler, if it samples.
    pub sampler: Option<u8>,
    /// The first vector register of the address.
    pub address: u16,
    /// Where the level comes from.
    pub lod: Lod,
    /// Bit n: component n has data.
    pub components: u8,
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
}
