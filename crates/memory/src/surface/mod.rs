//! Surfaces: elements at coordinates, which NVIDIA's SUATOM and Intel's TYPED_ATOMIC change.
//!
//! A [`Surface`] describes the location of its elements. A device has a table of surfaces ([`Surfaces`]), and instructions select
//! one by its number. Images of GCN are described by descriptors instead, with formats that convert; both share the function for
//! linear addresses (`linear`).
//!
//! Sources: SUATOM (SPA 5.0 and 5.2) and TYPED_ATOMIC (vISA 0x73) for coordinates and bounds; Tegra X1 TRM, 20.1 "Pixel memory
//! formats", for block linear layouts. The block layout and the starts of levels and layers have not been compared with a chip,
//! so they are *approximate*. A program that accesses a surface only by coordinates does not depend on them.

pub mod access;
mod fault;
mod table;

use std::ops::Range;

use wavetank_ir::{Dimensions, Rmw};

pub use fault::SurfaceFault;
pub use table::Surfaces;

/// The type of a surface's elements.
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
    /// All element types, with their names.
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

    /// Returns the element type of a name, such as `u32`.
    pub fn from_name(name: &str) -> Option<Element> {
        let mut names = Element::NAMES.into_iter();
        names.find(|(_, n)| *n == name).map(|(element, _)| element)
    }

    /// Returns the name of the type.
    pub fn name(self) -> &'static str {
        Element::NAMES[self as usize].1
    }

    /// Returns the size in bytes: 2, 4 or 8.
    pub const fn bytes(self) -> u32 {
        match self {
            Element::U16 | Element::S16 | Element::F16 => 2,
            Element::U32 | Element::S32 | Element::F32 | Element::F16x2 => 4,
            Element::U64 | Element::S64 => 8,
        }
    }

    /// Returns the operation on this type that corresponds to one on unsigned integers; `None` if the type does not support it.
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

/// The memory layout of the elements of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Linear rows, with this pitch in bytes; 0 for rows without gaps.
    Pitch(u32),
    /// Blocks of 64 bytes by 8 rows, 512 bytes each. A group of adjacent blocks, `height` in y and `depth` in z, is contiguous in
    /// memory.
    Blocks {
        /// The blocks of a group in y: a power of two up to 32.
        height: u32,
        /// The blocks of a group in z: a power of two up to 32.
        depth: u32,
    },
}

/// The bytes of a row of a block, its number of rows, and its size in bytes.
const BLOCK: (u64, u64, u64) = (64, 8, 512);

/// A surface: elements at coordinates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Surface {
    /// The address, a multiple of the size of an element, or of 512 with blocks.
    pub address: u64,
    /// The number and meaning of the coordinates.
    pub dimensions: Dimensions,
    /// The number of elements along each coordinate, with layers as a coordinate; 1 for coordinates that the surface lacks.
    pub size: [u32; 3],
    /// The number of levels, at least 1. Each is half as large in every direction as the previous one; the number of layers stays
    /// the same. The levels of a layer follow one another in memory, then come those of the next layer.
    pub levels: u32,
    /// The type of the elements.
    pub element: Element,
    /// The memory layout of the elements of a level.
    pub layout: Layout,
    /// Whether the surface may be accessed. If not, loads give 0 and stores are dropped.
    pub enabled: bool,
    /// The ranges without memory, as offsets from the start in bytes.
    pub absent: Vec<Range<u64>>,
}

/// The location of a level.
struct Level {
    /// The offset in its layer.
    start: u64,
    /// Bytes from a row to the next, and from a slice to the next; with blocks, from a row or slice of groups to the next.
    row: u64,
    slice: u64,
    /// The size in bytes.
    bytes: u64,
}

/// Returns the offset of a byte: `x` is its offset in the row, `row` and `slice` are the bytes from a row and from a slice to the
/// next.
#[inline(always)]
pub const fn linear([x, y, z]: [u64; 3], row: u64, slice: u64) -> u64 {
    z.wrapping_mul(slice)
        .wrapping_add(y.wrapping_mul(row))
        .wrapping_add(x)
}

/// Returns the offset of a byte in blocks. A block consists of two parts of 32 × 8 bytes, one after the other; each of these of
/// four parts of 32 × 2, and each of those of two parts of 16 × 2.
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
    /// Returns a surface of one level, whose rows follow one another without gaps from the address on.
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

    /// Returns a description of the size: `2d 8x4`.
    pub fn shape(&self) -> String {
        let count = self.dimensions.coordinates();
        let size = self.size[..count].iter().map(u32::to_string);
        let size: Vec<String> = size.collect();
        format!("{} {}", self.dimensions.name(), size.join("x"))
    }

    /// Checks that the description is valid.
    ///
    /// # Errors
    /// A sentence that describes the invalid property.
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
                    "a pitch of {pitch} bytes is not a multiple of a {name}"
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

    /// Returns the number of layers; 1 for a surface without layers.
    pub fn layers(&self) -> u32 {
        match self.dimensions {
            Dimensions::D1Array => self.size[1],
            Dimensions::D2Array => self.size[2],
            _ => 1,
        }
    }

    /// Returns the number of elements of a level along x, y and z, without layers. A level that does not exist has the size of
    /// the last one.
    pub fn size_of(&self, level: u32) -> [u32; 3] {
        let part = |n: u32| (n >> level.min(self.levels - 1)).max(1);
        let [x, y, z] = self.size;
        match self.dimensions {
            Dimensions::D1 | Dimensions::Buffer | Dimensions::D1Array => [part(x), 1, 1],
            Dimensions::D2 | Dimensions::D2Array => [part(x), part(y), 1],
            Dimensions::D3 => [part(x), part(y), part(z)],
        }
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        self.layer_bytes() * u64::from(self.layers())
    }

    fn layer_bytes(&self) -> u64 {
        let last = self.level(self.levels - 1);
        last.start + last.bytes
    }

    /// Returns the location of a level.
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

    /// Returns the offset from the surface's address of the byte `x` of a row: row `y` of slice `z`, in a layer of a level.
    /// Coordinates outside of the surface give some offset.
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

    /// Returns the offset of an element of the first level.
    pub fn element_offset(&self, at: [u32; 3]) -> u64 {
        self.element_offset_in(0, at)
    }

    /// Returns the offset of an element of a level.
    pub fn element_offset_in(&self, level: u32, at: [u32; 3]) -> u64 {
        let (place, layer) = self.split(at);
        let [x, y, z] = place.map(u64::from);
        let x = x * u64::from(self.element.bytes());
        self.offset([x, y, z], layer, level)
    }

    /// Splits the coordinates into x, y and z, and the layer.
    fn split(&self, [x, y, z]: [u32; 3]) -> ([u32; 3], u32) {
        match self.dimensions {
            Dimensions::D1 | Dimensions::Buffer => ([x, 0, 0], 0),
            Dimensions::D1Array => ([x, 0, 0], y),
            Dimensions::D2 => ([x, y, 0], 0),
            Dimensions::D2Array => ([x, y, 0], z),
            Dimensions::D3 => ([x, y, z], 0),
        }
    }

    /// Returns whether there is memory for `bytes` bytes at an offset from the start.
    fn has(&self, offset: u64, bytes: u32) -> bool {
        let end = offset + u64::from(bytes);
        let mut absent = self.absent.iter();
        !absent.any(|range| range.start < end && offset < range.end)
    }
}

#[cfg(test)]
mod tests;
