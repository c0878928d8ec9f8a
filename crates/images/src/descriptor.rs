//! Descriptors of images and samplers (Vega ISA, 8.2.5 "Image Resource" and 8.2.6 "Image Sampler"; for gfx6 to gfx8 the CLRX
//! wiki, "GCN Memory Handling").

use wavetank_ir::Tiling;

/// The dimensions of an image, with the numbers of the TYPE field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageType {
    /// A line of texels.
    D1 = 8,
    /// A plane of texels.
    D2 = 9,
    /// A volume of texels.
    D3 = 10,
    /// The six faces of a cube, or of several.
    Cube = 11,
    /// An array of lines.
    D1Array = 12,
    /// An array of planes.
    D2Array = 13,
    /// A plane with several samples a texel.
    D2Msaa = 14,
    /// An array of planes with several samples a texel.
    D2MsaaArray = 15,
}

/// The tiling index of linear images, as drivers of gfx6 to gfx8 set up the table of the chip.
const LINEAR_INDEX: u8 = 8;

impl ImageType {
    /// Returns the dimensions for a TYPE number; `None` for a buffer (0) and the reserved numbers 1 to 7.
    pub fn new(number: u32) -> Option<Self> {
        use ImageType::*;
        const ALL: [ImageType; 8] = [D1, D2, D3, Cube, D1Array, D2Array, D2Msaa, D2MsaaArray];
        ALL.into_iter().find(|t| *t as u32 == number)
    }

    /// Returns whether a coordinate selects the slice.
    pub(crate) fn is_array(self) -> bool {
        use ImageType::*;
        matches!(self, D1Array | D2Array | Cube | D2MsaaArray)
    }

    /// Returns whether texels have several samples.
    pub(crate) fn is_sampled(self) -> bool {
        matches!(self, ImageType::D2Msaa | ImageType::D2MsaaArray)
    }
}

/// An image resource (T#).
///
/// ```
/// use wavetank_images::{ImageResource, ImageType};
/// // 100 x 50 texels of 8_8_8_8 (10) unorm (0) in rows of 128.
/// let image = ImageResource::plain(ImageType::D2, 0x10_0000, [10, 0], [100, 50, 1], 128);
/// assert_eq!(ImageResource::from_words(image.to_words()), Some(image));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageResource {
    /// The byte address, a multiple of 256.
    pub address: u64,
    /// The dimensions, field TYPE.
    pub kind: ImageType,
    /// The numbers of the data format and the number format.
    pub format: [u8; 2],
    /// Width, height and depth in texels; for an array the last is the number of slices. Each is at least 1.
    pub size: [u32; 3],
    /// The layout of the descriptor's words.
    pub tiling: Tiling,
    /// Texels from one row to the next. With [`Tiling::Swizzled`] and several levels, the rows of all levels of a slice.
    pub pitch: u32,
    /// The sources of x, y, z and w: 0, 1, or 4 to 7 for a component.
    pub select: [u8; 4],
    /// The first and the last level that accesses use. With several samples a texel, the second is the logarithm of their number.
    pub levels: [u8; 2],
    /// The last level in memory; [`Tiling::Indexed`] does not encode it.
    pub last_in_memory: u8,
    /// The first slice of an array.
    pub first_slice: u32,
    /// The swizzle mode, where 0 is linear, or the tiling index, where 8 is.
    pub swizzle: u8,
    /// Whether the colors are compressed (DCC).
    pub compressed: bool,
    /// The smallest level of detail, in units of 1/256.
    pub min_lod: u16,
    /// The channel order of a border color for x, y, z and w of the data: 0 xyzw, 1 xwyz, 2 wzyx, 3 wxyz, 4 zyxw, 5 yxwz.
    /// [`Tiling::Indexed`] has none.
    pub border_order: u8,
}

/// Returns the bits `first` to `last` of a word.
fn bits(word: u32, first: u32, last: u32) -> u32 {
    word >> first & (!0 >> (31 - (last - first)))
}

impl ImageResource {
    /// Returns a linear image with one level and components in the order of memory.
    pub fn plain(
        kind: ImageType,
        address: u64,
        format: [u8; 2],
        size: [u32; 3],
        pitch: u32,
    ) -> Self {
        ImageResource {
            address,
            kind,
            format,
            size,
            tiling: Tiling::Swizzled,
            pitch,
            select: [4, 5, 6, 7],
            levels: [0, 0],
            last_in_memory: 0,
            first_slice: 0,
            swizzle: 0,
            compressed: false,
            min_lod: 0,
            border_order: 0,
        }
    }

    /// Returns the same linear image for a chip with another layout of the words.
    ///
    /// ```
    /// use wavetank_images::{ImageResource, ImageType, Tiling};
    /// let image = ImageResource::plain(ImageType::D2, 0x10_0000, [10, 0], [100, 50, 1], 128);
    /// assert!(image.read_by(Tiling::Indexed).is_linear());
    /// ```
    pub fn read_by(self, tiling: Tiling) -> Self {
        let swizzle = match tiling {
            Tiling::Indexed => LINEAR_INDEX,
            Tiling::Swizzled => 0,
        };
        ImageResource {
            tiling,
            swizzle,
            ..self
        }
    }

    /// Decodes the eight words in gfx9's layout, as [`read`](Self::read) does.
    pub fn from_words(words: [u32; 8]) -> Option<Self> {
        ImageResource::read(words, Tiling::Swizzled)
    }

    /// Decodes the eight words; a resource of 128 bits ends with four zeros. `None` if the words do not describe an image: a
    /// buffer, a reserved type, or all zero, which is an unbound resource.
    pub fn read(words: [u32; 8], tiling: Tiling) -> Option<Self> {
        let [w0, w1, w2, w3, w4, w5, w6, _] = words;
        let kind = ImageType::new(bits(w3, 28, 31))?;
        let first_slice = bits(w5, 0, 12);
        let last = match (kind.is_array(), tiling) {
            (true, Tiling::Indexed) => bits(w5, 13, 25),
            // The depth and the last slice share a field.
            _ => bits(w4, 0, 12),
        };
        let depth = if kind.is_array() {
            last.saturating_sub(first_slice)
        } else {
            last
        };
        let (pitch, last_in_memory, border_order) = match tiling {
            Tiling::Indexed => (bits(w4, 13, 26), 0, 0),
            Tiling::Swizzled => (bits(w4, 13, 28), bits(w5, 28, 31), bits(w4, 29, 31)),
        };
        Some(ImageResource {
            address: (u64::from(w0) | u64::from(bits(w1, 0, 7)) << 32) << 8,
            kind,
            format: [bits(w1, 20, 25) as u8, bits(w1, 26, 29) as u8],
            size: [bits(w2, 0, 13) + 1, bits(w2, 14, 27) + 1, depth + 1],
            tiling,
            pitch: pitch + 1,
            select: std::array::from_fn(|n| (w3 >> (3 * n) & 7) as u8),
            levels: [bits(w3, 12, 15) as u8, bits(w3, 16, 19) as u8],
            last_in_memory: last_in_memory as u8,
            first_slice,
            swizzle: bits(w3, 20, 24) as u8,
            compressed: bits(w6, 21, 21) != 0,
            min_lod: bits(w1, 8, 19) as u16,
            border_order: border_order as u8,
        })
    }

    /// Returns the eight words. A value is truncated to its field.
    pub fn to_words(&self) -> [u32; 8] {
        let put = |value: u32, first: u32, last: u32| bits(value, 0, last - first) << first;
        let [width, height, depth] = self.size.map(|n| n.wrapping_sub(1));
        let select = (0..4).fold(0, |w, n| {
            w | put(self.select[n].into(), 3 * n as u32, 3 * n as u32 + 2)
        });
        let [data, number] = self.format.map(u32::from);
        let [first, last] = self.levels.map(u32::from);
        let last_slice = depth.wrapping_add(self.first_slice);
        let (in_depth, slices) = match (self.tiling, self.kind.is_array()) {
            (Tiling::Indexed, true) => (depth, put(last_slice, 13, 25)),
            (Tiling::Indexed, false) => (depth, 0),
            (Tiling::Swizzled, _) => (last_slice, put(self.last_in_memory.into(), 28, 31)),
        };
        let (last_of_pitch, border_order) = match self.tiling {
            Tiling::Indexed => (26, 0),
            Tiling::Swizzled => (28, put(self.border_order.into(), 29, 31)),
        };
        [
            (self.address >> 8) as u32,
            put((self.address >> 40) as u32, 0, 7)
                | put(self.min_lod.into(), 8, 19)
                | put(data, 20, 25)
                | put(number, 26, 29),
            put(width, 0, 13) | put(height, 14, 27),
            select
                | put(first, 12, 15)
                | put(last, 16, 19)
                | put(self.swizzle.into(), 20, 24)
                | put(self.kind as u32, 28, 31),
            put(in_depth, 0, 12)
                | put(self.pitch.wrapping_sub(1), 13, last_of_pitch)
                | border_order,
            put(self.first_slice, 0, 12) | slices,
            put(self.compressed.into(), 21, 21),
            0,
        ]
    }

    /// Returns whether the layout is linear: texels in rows, one after the other.
    pub fn is_linear(&self) -> bool {
        match self.tiling {
            Tiling::Indexed => self.swizzle == LINEAR_INDEX,
            Tiling::Swizzled => self.swizzle == 0,
        }
    }

    /// Returns the number of levels that accesses use.
    pub fn level_count(&self) -> u32 {
        let [first, last] = self.levels;
        if self.kind.is_sampled() {
            1
        } else {
            u32::from(last.saturating_sub(first)) + 1
        }
    }

    /// Returns the number of levels in memory, at least up to the last one that accesses use.
    pub fn levels_in_memory(&self) -> u32 {
        if self.kind.is_sampled() {
            1
        } else {
            u32::from(self.levels[1].max(self.levels[0]).max(self.last_in_memory)) + 1
        }
    }

    /// Returns the number of samples of a texel.
    pub fn samples(&self) -> u32 {
        if self.kind.is_sampled() {
            1 << self.levels[1].min(4)
        } else {
            1
        }
    }
}

/// The treatment of a coordinate outside the image (CLAMP_X, _Y, _Z).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Clamp {
    /// The image repeats without end.
    #[default]
    Wrap,
    /// Every other repetition is reversed.
    Mirror,
    /// The texel at the edge.
    LastTexel,
    /// Mirrored once, then the texel at the edge.
    MirrorOnceLastTexel,
    /// At most half of the border color is mixed in.
    HalfBorder,
    /// Mirrored once, then at most half of the border color.
    MirrorOnceHalfBorder,
    /// The border color ([`Border`]).
    Border,
    /// Mirrored once, then the border color.
    MirrorOnceBorder,
}

impl Clamp {
    const ALL: [Clamp; 8] = [
        Clamp::Wrap,
        Clamp::Mirror,
        Clamp::LastTexel,
        Clamp::MirrorOnceLastTexel,
        Clamp::HalfBorder,
        Clamp::MirrorOnceHalfBorder,
        Clamp::Border,
        Clamp::MirrorOnceBorder,
    ];
}

/// The color of the border.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Border {
    /// All components are 0, alpha too.
    #[default]
    TransparentBlack,
    /// The colors are 0, and alpha is 1.
    OpaqueBlack,
    /// All components are 1, alpha too.
    OpaqueWhite,
    /// An entry of the table that the driver sets up.
    Table(u16),
}

/// A sampler (S#).
///
/// ```
/// use wavetank_images::{Clamp, ImageSampler};
/// // OpenCL's CLK_ADDRESS_CLAMP_TO_EDGE, CLK_FILTER_LINEAR, unnormalized, as clang encodes it.
/// let sampler = ImageSampler::from_words([0x1000_b092, 0x00ff_f000, 0x8050_0000, 0]);
/// assert_eq!(sampler.clamp, [Clamp::LastTexel; 3]);
/// assert!(sampler.unnormalized && sampler.linear_mag && sampler.linear_min);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ImageSampler {
    /// The clamp modes of x, y and z.
    pub clamp: [Clamp; 3],
    /// Whether coordinates count texels.
    pub unnormalized: bool,
    /// Whether a sample without a filter takes the texel of the truncated coordinate, not of the one rounded to 1/256.
    pub truncates: bool,
    /// Whether neighbouring texels are mixed where the image is magnified.
    pub linear_mag: bool,
    /// Whether neighbouring texels are mixed where the image is minified.
    pub linear_min: bool,
    /// Whether several samples are taken along the longer of the two steps where the image is reduced.
    pub anisotropic: bool,
    /// The logarithm of the largest number of these samples: at most 4.
    pub most_along: u8,
    /// Whether a single level suppresses these samples.
    pub needs_levels: bool,
    /// The reduction of several texels to one: 0 their mixture, 1 the minimum, 2 the maximum.
    pub reduction: u8,
    /// Whether normalized components are treated as sRGB.
    pub degamma: bool,
    /// Whether the filter stays within a face of a cube.
    pub faces_apart: bool,
    /// The filter between the planes of a volume: 0 as within a plane, 1 none, 2 linear.
    pub z_filter: u8,
    /// The filter between levels: 0 and 1 take one, 2 mixes two.
    pub mip_filter: u8,
    /// Whether one level is chosen before the level of detail is clamped.
    pub chooses_first: bool,
    /// The comparison: bits 0 to 2 select less, equal and greater.
    pub compare: u8,
    /// The smallest and the largest level of detail.
    pub lod: [f32; 2],
    /// An offset that is added to the level of detail.
    pub lod_bias: f32,
    /// The color of the border.
    pub border: Border,
}

impl ImageSampler {
    /// Decodes the four words.
    pub fn from_words(words: [u32; 4]) -> Self {
        let [w0, w1, w2, w3] = words;
        let clamp = |n: u32| Clamp::ALL[bits(w0, 3 * n, 3 * n + 2) as usize];
        let linear = |first| bits(w2, first, first) != 0;
        let fixed = |n: u32| n as f32 / 256.0;
        ImageSampler {
            clamp: [clamp(0), clamp(1), clamp(2)],
            unnormalized: bits(w0, 15, 15) != 0,
            truncates: bits(w0, 27, 27) != 0,
            // 2 and 3 are point and linear with anisotropy.
            linear_mag: linear(20),
            linear_min: linear(22),
            anisotropic: linear(23),
            most_along: bits(w0, 9, 11).min(4) as u8,
            needs_levels: bits(w2, 31, 31) != 0,
            reduction: bits(w0, 29, 30) as u8,
            degamma: bits(w0, 20, 20) != 0,
            faces_apart: bits(w0, 28, 28) != 0,
            chooses_first: bits(w2, 28, 28) != 0,
            z_filter: bits(w2, 24, 25) as u8,
            mip_filter: bits(w2, 26, 27) as u8,
            compare: bits(w0, 12, 14) as u8,
            lod: [fixed(bits(w1, 0, 11)), fixed(bits(w1, 12, 23))],
            lod_bias: ((bits(w2, 0, 13) << 18) as i32 >> 18) as f32 / 256.0,
            border: match bits(w3, 30, 31) {
                0 => Border::TransparentBlack,
                1 => Border::OpaqueBlack,
                2 => Border::OpaqueWhite,
                _ => Border::Table(bits(w3, 0, 11) as u16),
            },
        }
    }

    /// Returns the four words of the descriptor.
    pub fn to_words(&self) -> [u32; 4] {
        let [x, y, z] = self.clamp.map(|c| c as u32);
        let fixed = |x: f32| (x * 256.0) as i32 as u32;
        let [least, most] = self.lod.map(|x| fixed(x) & 0xfff);
        let flag = |flag: bool, at: u32| u32::from(flag) << at;
        [
            x | y << 3
                | z << 6
                | u32::from(self.most_along & 7) << 9
                | u32::from(self.compare & 7) << 12
                | flag(self.unnormalized, 15)
                | flag(self.degamma, 20)
                | flag(self.truncates, 27)
                | flag(self.faces_apart, 28)
                | u32::from(self.reduction & 3) << 29,
            least | most << 12,
            fixed(self.lod_bias) & 0x3fff
                | flag(self.linear_mag, 20)
                | flag(self.linear_min, 22)
                | flag(self.anisotropic, 23)
                | u32::from(self.z_filter & 3) << 24
                | u32::from(self.mip_filter & 3) << 26
                | flag(self.chooses_first, 28)
                | flag(self.needs_levels, 31),
            match self.border {
                Border::TransparentBlack => 0,
                Border::OpaqueBlack => 1 << 30,
                Border::OpaqueWhite => 2 << 30,
                Border::Table(entry) => 3 << 30 | u32::from(entry & 0xfff),
            },
        ]
    }

    /// Returns the result of comparing `reference` with a texel (DEPTH_COMPARE_FUNC: never, less, equal, less or equal, greater,
    /// not equal, greater or equal, always).
    pub fn compares(&self, reference: f32, texel: f32) -> bool {
        let holds = [reference < texel, reference == texel, reference > texel];
        let any = (0..3).any(|n| self.compare >> n & 1 != 0 && holds[n]);
        any || self.compare == 7
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The fields do not overlap.
        #[test]
        fn resources_survive(
            address in 0u64..1 << 40, kind in 8u32..16, format in [0u8..64, 0u8..16],
            size in [1u32..16385, 1u32..16385, 1u32..4000], pitch in 1u32..65537,
            select in [0u8..8, 0u8..8, 0u8..8, 0u8..8], levels in [0u8..16, 0u8..16],
            first_slice in 0u32..4000, swizzle in 0u8..32, min_lod in 0u16..4096, indexed: bool, compressed: bool,
            last_in_memory in 0u8..16, border_order in 0u8..8,
        ) {
            let kind = ImageType::new(kind).unwrap();
            let (tiling, pitch, last_in_memory, border_order) = if indexed { (Tiling::Indexed, pitch.div_ceil(4), 0, 0) } else { (Tiling::Swizzled, pitch, last_in_memory, border_order) };
            let resource = ImageResource {
                address: address << 8, kind, format, size, tiling, pitch, select, levels, last_in_memory, first_slice,
                swizzle, min_lod, compressed, border_order,
            };
            let back = ImageResource::read(resource.to_words(), tiling).unwrap();
            if kind.is_array() || first_slice == 0 {
                prop_assert_eq!(back, resource);
            }
        }

        #[test]
        fn samplers_survive(words: [u32; 4]) {
            let sampler = ImageSampler::from_words(words);
            prop_assert_eq!(ImageSampler::from_words(sampler.to_words()), sampler);
        }
    }

    /// The positions of the table "Image Resource Definition".
    #[test]
    fn fields_stand_where_the_manual_says() {
        let mut words = [0; 8];
        let mut set = |first: usize, value: u32| words[first / 32] |= value << (first % 32);
        set(124, 9);
        set(52, 10);
        set(58, 4);
        set(64, 99);
        set(78, 49);
        set(96, 6);
        set(112, 3);
        set(141, 127);
        set(157, 5);
        set(188, 5);
        set(213, 1);
        let r = ImageResource::from_words(words).unwrap();
        assert_eq!(
            (r.last_in_memory, r.compressed, r.border_order),
            (5, true, 5)
        );
        assert_eq!(
            (r.kind, r.format, r.size),
            (ImageType::D2, [10, 4], [100, 50, 1])
        );
        assert_eq!((r.select[0], r.levels, r.pitch), (6, [0, 3], 128));
        assert_eq!(ImageResource::from_words([0; 8]), None);
    }

    /// The fields that have other positions on gfx6 to gfx8 (CLRX wiki, "GCN Memory Handling").
    #[test]
    fn fields_of_older_chips() {
        let mut words = [0; 8];
        let mut set = |first: usize, value: u32| words[first / 32] |= value << (first % 32);
        set(124, 13);
        set(116, 8);
        set(128, 9);
        set(141, 127);
        // The bits above the 14 of the pitch belong to another field.
        set(155, 1);
        set(160, 2);
        set(173, 6);
        let r = ImageResource::read(words, Tiling::Indexed).unwrap();
        assert_eq!((r.size, r.pitch, r.first_slice), ([1, 1, 5], 128, 2));
        assert!(r.is_linear());
        assert!(!ImageResource { swizzle: 0, ..r }.is_linear());
    }

    /// The positions of the table "Image Sampler Definition".
    #[test]
    fn fields_of_samplers() {
        let mut words = [0; 4];
        let mut set = |first: usize, value: u32| words[first / 32] |= value << (first % 32);
        set(9, 3);
        set(20, 1);
        set(28, 1);
        set(29, 2);
        set(86, 3);
        set(92, 1);
        set(95, 1);
        set(96, 0xabc);
        set(126, 3);
        let s = ImageSampler::from_words(words);
        assert_eq!((s.most_along, s.reduction), (3, 2));
        assert_eq!(s.border, Border::Table(0xabc));
        assert!(
            s.anisotropic
                && s.degamma
                && s.faces_apart
                && s.linear_min
                && s.chooses_first
                && s.needs_levels
        );
    }

    #[test]
    fn comparisons() {
        let holds = |compare| {
            let s = ImageSampler {
                compare,
                ..ImageSampler::default()
            };
            [
                s.compares(1.0, 2.0),
                s.compares(2.0, 2.0),
                s.compares(3.0, 2.0),
            ]
        };
        assert_eq!(holds(0), [false; 3]);
        assert_eq!(holds(1), [true, false, false]);
        assert_eq!(holds(3), [true, true, false]);
        assert_eq!(holds(5), [true, false, true]);
        assert_eq!(holds(7), [true; 3]);
    }
}
