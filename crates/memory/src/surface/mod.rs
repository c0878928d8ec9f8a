//! Surfaces: elements at coordinates, as NVIDIA's SUATOM and Intel's
//! TYPED_ATOMIC change them.
//!
//! A [`Surface`] says where its elements are. A device has a table of them
//! ([`Surfaces`]), in which instructions name them by number. Images of GCN are
//! described by their instructions instead, with formats that convert; what both
//! have in common is where the elements of rows are (`linear`).
//!
//! Sources: SUATOM (SPA 5.0 and 5.2) and TYPED_ATOMIC (vISA 0x73) for coordinates and bounds; for blocks Tegra X1 TRM,
//! 20.1 "Pixel memory formats", block linear. The latter has not been compared with a chip here, nor where levels and
//! layers begin: it is *approximate*. Programs that see a surface through coordinates alone see no difference.

pub mod access;
mod fault;
mod table;

use std::ops::Range;

use wavetank_ir::{Dimensions, Rmw};

pub use fault::SurfaceFault;
pub use table::Surfaces;

/// What stands in each element of a surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Element {
    U16,
    S16,
    F16,
    U32,
    S32,
    F32,
    /// Two floats of 16 bits.
    F16x2,
    U64,
    S64,
}

impl Element {
    /// Every element with its name.
    pub const NAMES: [(Element, &'static str); 9] = [
        (Element::U16, "u16"),
        (Element::S16, "s16"),
        (Element::F16, "f16"),
        (Element::U32, "u32"),
        (Element::S32, "s32"),
        (Element::F32, "f32"),
        (Element::F16x2, "f16x2"),
        (Element::U64, "u64"),
        (Element::S64, "s64"),
    ];

    /// The element of a name, such as `u32`.
    pub fn from_name(name: &str) -> Option<Element> {
        let mut names = Element::NAMES.into_iter();
        names.find(|(_, n)| *n == name).map(|(element, _)| element)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Element::NAMES[self as usize].1
    }

    /// Its bytes: 2, 4 or 8.
    pub const fn bytes(self) -> u32 {
        match self {
            Element::U16 | Element::S16 | Element::F16 => 2,
            Element::U32 | Element::S32 | Element::F32 | Element::F16x2 => 4,
            Element::U64 | Element::S64 => 8,
        }
    }

    /// What an operation of unsigned integers is where the element says what its bits are; `None` if there is no such.
    pub const fn meaning(self, rmw: Rmw) -> Option<Rmw> {
        use Rmw::{Add, CmpSwap, FAddFlush, FMaxNum, FMinNum, MaxS, MaxU, MinS, MinU, Swap};
        match self {
            Element::U16 | Element::U32 | Element::U64 => Some(rmw),
            Element::S16 | Element::S32 | Element::S64 => Some(match rmw {
                MinU => MinS,
                MaxU => MaxS,
                other => other,
            }),
            Element::F16 | Element::F32 => match rmw {
                Add => Some(FAddFlush),
                MinU => Some(FMinNum),
                MaxU => Some(FMaxNum),
                Swap | CmpSwap => Some(rmw),
                _ => None,
            },
            Element::F16x2 => match rmw {
                Add => Some(Rmw::PkFAddFlush),
                MinU => Some(Rmw::PkFMinFlush),
                MaxU => Some(Rmw::PkFMaxFlush),
                Swap | CmpSwap => Some(rmw),
                _ => None,
            },
        }
    }
}

/// How the elements of a level lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Row after row, each so many bytes behind the one before; 0 for rows without gaps.
    Pitch(u32),
    /// Blocks of 64 bytes by 8 rows, 512 bytes each. So many of them above each other, and so many behind each other, are
    /// neighbours in memory.
    Blocks {
        /// Blocks above each other: a power of two up to 32.
        height: u32,
        /// Blocks behind each other: a power of two up to 32.
        depth: u32,
    },
}

/// Bytes of a row of a block, its rows, and its bytes.
const BLOCK: (u64, u64, u64) = (64, 8, 512);

/// Elements at coordinates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Surface {
    /// Where it begins: a multiple of the bytes of an element, with blocks of 512.
    pub address: u64,
    /// Its coordinates.
    pub dimensions: Dimensions,
    /// How many elements there are along each of its coordinates, layers too; 1 where it has no such coordinate.
    pub size: [u32; 3],
    /// Levels, each half as large in every direction as the one before (layers stay): at least 1. They follow each other in
    /// memory, those of each layer by themselves.
    pub levels: u32,
    /// What stands in each element.
    pub element: Element,
    /// How the elements of a level lie in memory.
    pub layout: Layout,
    /// Whether it may be accessed. Otherwise it gives 0, and what is written is dropped.
    pub enabled: bool,
    /// The bytes from its beginning that have no memory behind them.
    pub absent: Vec<Range<u64>>,
}

/// Where the bytes of a level are.
struct Level {
    /// Where it begins in its layer.
    start: u64,
    /// Bytes from a row to the next, and from a slice to the next; with blocks those of blocks.
    row: u64,
    slice: u64,
    /// Its bytes.
    bytes: u64,
}

/// The offset of a byte of a row by the bytes from row to row and from slice to slice.
#[inline(always)]
pub const fn linear([x, y, z]: [u64; 3], row: u64, slice: u64) -> u64 {
    z.wrapping_mul(slice)
        .wrapping_add(y.wrapping_mul(row))
        .wrapping_add(x)
}

/// The offset of a byte in blocks: in a block of 64 bytes by 8 rows there are 32 × 8 bytes after each other, in those 32 × 2,
/// in those 16 × 2.
fn in_blocks([x, y, z]: [u64; 3], height: u64, depth: u64, row: u64, slice: u64) -> u64 {
    let (width, rows, bytes) = BLOCK;
    let stack = bytes * height;
    let block = linear(
        [x / width * stack * depth, y / (rows * height), z / depth],
        row,
        slice,
    );
    let within = z % depth * stack + y / rows % height * bytes;
    block
        + within
        + x % width / 32 * 256
        + y % rows / 2 * 64
        + x % 32 / 16 * 32
        + y % 2 * 16
        + x % 16
}

impl Surface {
    /// A surface of one level whose rows follow each other, from an address on.
    pub fn new(address: u64, dimensions: Dimensions, size: [u32; 3], element: Element) -> Surface {
        Surface {
            address,
            dimensions,
            size: std::array::from_fn(|n| {
                if n < dimensions.coordinates() {
                    size[n]
                } else {
                    1
                }
            }),
            levels: 1,
            element,
            layout: Layout::Pitch(0),
            enabled: true,
            absent: Vec::new(),
        }
    }

    /// The size in words: `2d 8x4`.
    pub fn shape(&self) -> String {
        let count = self.dimensions.coordinates();
        let size = self.size[..count].iter().map(u32::to_string);
        let size: Vec<String> = size.collect();
        format!("{} {}", self.dimensions.name(), size.join("x"))
    }

    /// Whether there is such a surface.
    ///
    /// # Errors
    /// A sentence that says what of it cannot be.
    pub fn check(&self) -> Result<(), String> {
        let bytes = u64::from(self.element.bytes());
        let most = match self.dimensions {
            Dimensions::Buffer => u32::MAX,
            _ => 1 << 16,
        };
        if let Some(n) = self.size.iter().find(|n| !(1..=most).contains(*n)) {
            return Err(format!(
                "a side of a surface has 1 to {most} elements, not {n}"
            ));
        }
        let largest = match self.dimensions {
            Dimensions::D1 | Dimensions::Buffer | Dimensions::D1Array => self.size[0],
            Dimensions::D2 | Dimensions::D2Array => self.size[0].max(self.size[1]),
            Dimensions::D3 => self.size.into_iter().max().unwrap_or(1),
        };
        let levels = largest.ilog2() + 1;
        if !(1..=levels).contains(&self.levels) {
            let (shape, given) = (self.shape(), self.levels);
            return Err(format!(
                "a surface of {shape} has 1 to {levels} levels, not {given}"
            ));
        }
        let row = u64::from(self.size[0]) * bytes;
        let align = match self.layout {
            Layout::Pitch(pitch) if pitch != 0 && u64::from(pitch) < row => {
                return Err(format!(
                    "rows of {row} bytes do not go into a pitch of {pitch}"
                ));
            }
            Layout::Pitch(pitch) if !u64::from(pitch).is_multiple_of(bytes) => {
                let name = self.element.name();
                return Err(format!(
                    "a pitch of {pitch} bytes is no multiple of a {name}"
                ));
            }
            Layout::Blocks { height, depth }
                if [height, depth]
                    .iter()
                    .any(|n| !n.is_power_of_two() || *n > 32) =>
            {
                return Err(format!(
                    "the height and the depth of blocks are 1, 2, 4, 8, 16 or 32, not {height} and {depth}"
                ));
            }
            Layout::Pitch(_) => bytes,
            Layout::Blocks { .. } => BLOCK.2,
        };
        if self.address.is_multiple_of(align) {
            Ok(())
        } else {
            Err(format!(
                "a surface at {:#x} must be at a multiple of {align}",
                self.address
            ))
        }
    }

    /// How many layers there are; 1 without any.
    pub fn layers(&self) -> u32 {
        match self.dimensions {
            Dimensions::D1Array => self.size[1],
            Dimensions::D2Array => self.size[2],
            _ => 1,
        }
    }

    /// Elements of a level along x, y and z, without layers. Levels that there are not have those of the last.
    pub fn size_of(&self, level: u32) -> [u32; 3] {
        let part = |n: u32| (n >> level.min(self.levels - 1)).max(1);
        let [x, y, z] = self.size;
        match self.dimensions {
            Dimensions::D1 | Dimensions::Buffer | Dimensions::D1Array => [part(x), 1, 1],
            Dimensions::D2 | Dimensions::D2Array => [part(x), part(y), 1],
            Dimensions::D3 => [part(x), part(y), part(z)],
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> u64 {
        self.layer_bytes() * u64::from(self.layers())
    }

    fn layer_bytes(&self) -> u64 {
        let last = self.level(self.levels - 1);
        last.start + last.bytes
    }

    /// Where a level is. There is one at least.
    fn level(&self, number: u32) -> Level {
        let mut start = 0;
        for level in 0..number {
            start += self.level_at(level, 0).bytes;
        }
        self.level_at(number, start)
    }

    fn level_at(&self, number: u32, start: u64) -> Level {
        let [width, height, depth] = self.size_of(number).map(u64::from);
        let tight = width * u64::from(self.element.bytes());
        let (row, slice, slices) = match self.layout {
            Layout::Pitch(0) => (tight, tight * height, depth),
            Layout::Pitch(pitch) => (pitch.into(), u64::from(pitch) * height, depth),
            Layout::Blocks {
                height: h,
                depth: d,
            } => {
                let (h, d) = (u64::from(h), u64::from(d));
                let row = tight.div_ceil(BLOCK.0) * BLOCK.2 * h * d;
                (row, row * height.div_ceil(BLOCK.1 * h), depth.div_ceil(d))
            }
        };
        Level {
            start,
            row,
            slice,
            bytes: slice * slices,
        }
    }

    /// The offset from its address of what is `x` bytes into a row: of row `y` of slice `z` of a layer of a level. What is
    /// outside is somewhere.
    pub fn offset(&self, [x, y, z]: [u64; 3], layer: u32, level: u32) -> u64 {
        let l = self.level(level);
        let within = match self.layout {
            Layout::Pitch(_) => linear([x, y, z], l.row, l.slice),
            Layout::Blocks { height, depth } => {
                in_blocks([x, y, z], height.into(), depth.into(), l.row, l.slice)
            }
        };
        let layer = if self.layers() > 1 {
            u64::from(layer) * self.layer_bytes()
        } else {
            0
        };
        layer + l.start + within
    }

    /// The offset of an element by its coordinates, in the first level.
    pub fn element_offset(&self, at: [u32; 3]) -> u64 {
        self.element_offset_in(0, at)
    }

    /// The offset of an element of a level by its coordinates.
    pub fn element_offset_in(&self, level: u32, at: [u32; 3]) -> u64 {
        let (place, layer) = self.split(at);
        let [x, y, z] = place.map(u64::from);
        let x = x * u64::from(self.element.bytes());
        self.offset([x, y, z], layer, level)
    }

    /// Coordinates as x, y and z, and the layer.
    fn split(&self, [x, y, z]: [u32; 3]) -> ([u32; 3], u32) {
        match self.dimensions {
            Dimensions::D1 | Dimensions::Buffer => ([x, 0, 0], 0),
            Dimensions::D1Array => ([x, 0, 0], y),
            Dimensions::D2 => ([x, y, 0], 0),
            Dimensions::D2Array => ([x, y, 0], z),
            Dimensions::D3 => ([x, y, z], 0),
        }
    }

    /// Whether there is memory for all of some bytes from its beginning.
    fn has(&self, offset: u64, bytes: u32) -> bool {
        let end = offset + u64::from(bytes);
        let mut absent = self.absent.iter();
        !absent.any(|range| range.start < end && offset < range.end)
    }
}

#[cfg(test)]
mod tests;
