//! The layout of images: addresses of texels, and the components that they hold.
//!
//! The elements of a level are in rows, or in tiles of elements in rows; rows are in slices, and each sample of a texel has a
//! slice. docs/reference/images.md describes tiles and the starts of levels.

use std::ops::Range;

use wavetank_ir::Tiling;
use wavetank_memory::for_spaces::convert::{self, Four};
use wavetank_memory::for_spaces::lanes::{Lanes, which};
use wavetank_memory::for_spaces::{Extent, Format, linear};

use crate::descriptor::{ImageResource, ImageType};

/// The alignment of rows in bytes, for layouts without tiles.
const ROW: u32 = 256;

/// The number of elements of a tile in each direction, as logarithms, for a resource with a tiling index.
const INDEXED_TILE: Extent = [3, 3];

/// Returns the tile of 256 bytes of a resource with a swizzle mode.
const fn swizzled_tile(bytes: u32) -> Extent {
    match bytes {
        1 => [4, 4],
        2 => [4, 3],
        3..=4 => [3, 3],
        5..=8 => [3, 2],
        _ => [2, 2],
    }
}

/// An image that can be accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub resource: ImageResource,
    pub format: Format,
}

/// A level of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// The address of the base slice.
    address: u64,
    /// Texels in each direction; the third is the number of slices.
    pub size: [u32; 3],
    /// Bytes from a row of elements, or of tiles, to the next.
    row: u32,
    /// Bytes from a slice to the next.
    slice: u64,
    /// Bytes of an element.
    bytes: u32,
    /// The texels of an element.
    extent: Extent,
    /// The elements of a tile: one in a layout without tiles.
    tile: Extent,
}

impl Surface {
    /// Returns the image of eight words, or of four words and zeros if it is `narrow`. `None` for an unbound one, which loads as
    /// 0 and drops stores.
    ///
    /// # Errors
    /// A sentence that names the property of the resource that is not supported.
    pub(crate) fn new(
        words: [u32; 8],
        tiling: Tiling,
        narrow: bool,
    ) -> Result<Option<Self>, String> {
        if words == [0; 8] {
            return Ok(None);
        }
        let Some(resource) = ImageResource::read(words, tiling) else {
            let kind = words[3] >> 28;
            return Err(format!(
                "its resource has type {kind}, which is not an image"
            ));
        };
        let ImageResource {
            format: [data, number],
            kind,
            ..
        } = resource;
        if resource.compressed {
            return Err("images with compressed colors are not executed yet".into());
        }
        if narrow && !matches!(kind, ImageType::D1 | ImageType::D2 | ImageType::D2Msaa) {
            return Err(format!(
                "its resource has type {}, and one of 128 bits is a line or a plane",
                kind as u32
            ));
        }
        let fragments = fmask(&resource).and_then(Format::fmask);
        let format = match fragments.or_else(|| Format::image(data, number)) {
            Some(format) => format,
            // Data format 0 is that of an unbound resource.
            None if data == 0 => return Ok(None),
            None => {
                return Err(format!(
                    "images of data format {data} and number format {number} are not executed yet"
                ));
            }
        };
        let mut surface = Surface { resource, format };
        if narrow {
            surface.resource.pitch = surface.own_pitch(resource.size[0]);
        }
        Ok(Some(surface))
    }

    /// Returns the number of coordinates within a slice or volume: 1 for lines, 2 for planes, 3 for volumes.
    pub(crate) fn dimensions(&self) -> usize {
        match self.resource.kind {
            ImageType::D1 | ImageType::D1Array => 1,
            ImageType::D3 => 3,
            _ => 2,
        }
    }

    /// Returns the texels in each direction of the first level in memory; the third is the number of slices.
    fn size(&self) -> [u32; 3] {
        let [width, height, depth] = self.resource.size;
        match self.resource.kind {
            ImageType::D1 => [width, 1, 1],
            ImageType::D1Array => [width, 1, depth],
            ImageType::D2 | ImageType::D2Msaa => [width, height, 1],
            _ => [width, height, depth],
        }
    }

    /// Returns whether slices have indices of their own.
    pub(crate) fn is_array(&self) -> bool {
        self.resource.kind.is_array()
    }

    /// Returns a level, counted from the base level.
    #[inline(always)]
    pub(crate) fn level(&self, n: u32) -> Level {
        let n = n + if self.resource.kind.is_sampled() {
            0
        } else {
            u32::from(self.resource.levels[0])
        };
        let [width, height, depth] = self.size();
        let half = |x: u32| (x >> n).max(1);
        let depth = match self.resource.kind {
            ImageType::D3 => half(depth),
            _ => depth,
        };
        let one = self.resource.levels_in_memory() == 1;
        let place = match (self.resource.tiling, self.resource.is_linear()) {
            (Tiling::Swizzled, true) if n == 0 && one => self.alone([width, height]),
            (Tiling::Swizzled, true) => self.shared_rows([width, height], n),
            (Tiling::Swizzled, false) => self.one_after_another([width, height], n),
            (Tiling::Indexed, _) => self.own_rows(n),
        };
        let first = u64::from(self.resource.first_slice) * u64::from(self.resource.samples());
        let offset = place.offset.wrapping_add(first.wrapping_mul(place.slice));
        Level {
            address: self.resource.address.wrapping_add(offset),
            size: [half(width), half(height), depth],
            row: place.row,
            slice: place.slice,
            bytes: self.format.bytes(),
            extent: self.format.extent(),
            tile: self.tile(),
        }
    }

    /// Returns the elements of a tile; one-dimensional images have no tiles.
    #[inline(always)]
    fn tile(&self) -> Extent {
        match self.resource.tiling {
            _ if self.resource.is_linear() || self.dimensions() == 1 => [0, 0],
            Tiling::Indexed => INDEXED_TILE,
            Tiling::Swizzled => swizzled_tile(self.format.bytes()),
        }
    }

    /// Returns the number of elements that contain the texels.
    fn elements(&self, [width, height]: [u32; 2]) -> [u32; 2] {
        let [in_row, rows] = self.format.extent();
        [width.div_ceil(1 << in_row), height.div_ceil(1 << rows)]
    }

    /// Returns the number of elements of all tiles that contain the texels.
    fn tiled(&self, texels: [u32; 2]) -> [u32; 2] {
        let (elements, tile) = (self.elements(texels), self.tile());
        std::array::from_fn(|n| elements[n].next_multiple_of(1 << tile[n]))
    }

    /// Returns the place of a level whose slices are adjacent.
    #[inline(always)]
    fn alone(&self, [_, height]: [u32; 2]) -> Place {
        self.packed(0, [self.resource.pitch, height])
    }

    /// Returns the place of a level at an offset, with adjacent slices.
    #[inline(always)]
    fn packed(&self, offset: u64, texels: [u32; 2]) -> Place {
        let [pitch, rows] = self.tiled(texels);
        let row = pitch * self.format.bytes();
        let slice = u64::from(row) * u64::from(rows);
        Place { offset, row, slice }
    }

    /// Returns the place of a level if each level has its own row length, and the levels of a slice follow one another.
    fn one_after_another(&self, size: [u32; 2], level: u32) -> Place {
        let level_of = |n: u32| self.packed(0, size.map(|x| (x >> n).max(1)));
        let bytes = |levels: Range<u32>| levels.map(|n| level_of(n).slice).sum();
        Place {
            offset: bytes(0..level),
            row: level_of(level).row,
            slice: bytes(0..self.resource.levels_in_memory()),
        }
    }

    /// Returns the place of a level if its rows are as long as those of the first one. Each slice has all levels, one below the
    /// other, each with half as many rows as the previous one, rounded up.
    fn shared_rows(&self, size: [u32; 2], level: u32) -> Place {
        let [width, height] = self.elements(size);
        let row = (width * self.format.bytes()).next_multiple_of(ROW);
        let above = (0..level).map(|n| height.div_ceil(1 << n)).sum::<u32>();
        Place {
            offset: u64::from(above) * u64::from(row),
            row,
            slice: u64::from(row) * u64::from(self.resource.pitch),
        }
    }

    /// Returns the place of a level if each level has its own row length and all of its slices follow one another. All levels but
    /// the first have the sizes of an image whose sides are powers of two.
    fn own_rows(&self, level: u32) -> Place {
        let [width, height, depth] = self.size();
        let slices = match self.resource.kind {
            ImageType::D3 => depth,
            _ => (depth + self.resource.first_slice) * self.resource.samples(),
        };
        let mut place = self.alone([width, height]);
        let mut slices_of = slices;
        for n in 1..=level {
            let behind = place.offset + place.slice * u64::from(slices_of);
            let half = |x: u32| (x.next_power_of_two() >> n).max(1);
            let texels = [self.own_pitch(half(width)), half(height)];
            place = self.packed(behind.next_multiple_of(ROW.into()), texels);
            if self.resource.kind == ImageType::D3 {
                slices_of = half(depth);
            }
        }
        place
    }

    /// Returns the texels from a row to the next, for a level of gfx6 to gfx8 without a pitch field; without tiles, the rule is
    /// that of LINEAR_ALIGNED.
    fn own_pitch(&self, width: u32) -> u32 {
        let [in_row, _] = self.format.extent();
        let elements = if self.resource.is_linear() {
            (ROW / self.format.bytes()).max(64)
        } else {
            1 << self.tile()[0]
        };
        width.next_multiple_of(elements << in_row)
    }

    /// Computes [`Surface::select`] for each lane.
    #[inline(always)]
    pub(crate) fn select_lanes(&self, components: &Four) -> Four {
        convert::select(self.resource.select, components, self.format.one())
    }

    /// Returns the components for the registers: the selected ones of a texel.
    pub(crate) fn select(&self, components: [u32; 4]) -> [u32; 4] {
        let one = self.format.one();
        self.resource.select.map(|s| select(s, components, one))
    }
}

/// Returns the component that a destination select chooses (8.1.8: 0, 1, R, G, B or A).
fn select(select: u8, components: [u32; 4], one: u32) -> u32 {
    match select {
        1 => one,
        4..=7 => components[usize::from(select) - 4],
        _ => 0,
    }
}

/// Returns the number of a format of FMASK. On gfx9 it is the number format; before, each is a data format.
fn fmask(resource: &ImageResource) -> Option<u8> {
    const FIRST: u8 = 44;
    let [data, number] = resource.format;
    match resource.tiling {
        Tiling::Indexed => data.checked_sub(FIRST),
        Tiling::Swizzled => (data == FIRST).then_some(number),
    }
}

/// The place of a level within its image.
struct Place {
    /// Bytes from the start of the image to the first slice of the level.
    offset: u64,
    /// Bytes from a row to the next, and from a slice to the next.
    row: u32,
    slice: u64,
}

impl Level {
    /// Returns the address of the element that contains a texel, and the number of the texel in it; `None` outside the image. For
    /// images with several samples, slices are those of samples.
    pub(crate) fn texel(&self, at: [i64; 3], samples: u32) -> Option<(u64, u32)> {
        let [width, height, slices] = self.size;
        let size = [width, height, slices * samples];
        let inside = (0..3).all(|n| (0..i64::from(size[n])).contains(&at[n]));
        if !inside {
            return None;
        }
        let [x, y, z] = at.map(|n| n as u32);
        let [in_row, rows] = self.extent;
        let within = (y & ((1 << rows) - 1)) << in_row | x & ((1 << in_row) - 1);
        Some((self.address.wrapping_add(self.offset([x, y, z])), within))
    }

    /// Returns the bytes from the start of the level to the element of a texel. The offset of a place outside may wrap.
    #[inline(always)]
    fn offset(&self, [x, y, z]: [u32; 3]) -> u64 {
        let (x, y) = (x >> self.extent[0], y >> self.extent[1]);
        let [columns, rows] = self.tile;
        let (in_row, in_column) = ((1 << columns) - 1, (1 << rows) - 1);
        let before = x >> columns << (columns + rows);
        let element = before | (y & in_column) << columns | x & in_row;
        let bytes = u64::from(element) * u64::from(self.bytes);
        let row = u64::from(y & !in_column);
        linear([bytes, row, z.into()], self.row.into(), self.slice)
    }

    /// Returns the addresses of the elements of all lanes' texels, and the mask of those inside the image.
    #[inline(always)]
    pub(crate) fn texels(&self, [x, y, z]: &[Lanes; 3], samples: u32) -> ([u64; 64], u64) {
        let [width, height, slices] = self.size;
        let slices = slices * samples;
        let inside = which(|lane| x[lane] < width && y[lane] < height && z[lane] < slices);
        let offset = |lane| self.offset([x[lane], y[lane], z[lane]]);
        let address = std::array::from_fn(|lane| self.address.wrapping_add(offset(lane)));
        (address, inside)
    }

    /// Returns the number of each lane's texel in its element.
    #[inline(always)]
    pub(crate) fn within(&self, [x, y, _]: &[Lanes; 3]) -> Lanes {
        let [in_row, rows] = self.extent;
        std::array::from_fn(|lane| {
            (y[lane] & ((1 << rows) - 1)) << in_row | x[lane] & ((1 << in_row) - 1)
        })
    }
}

impl ImageResource {
    /// Returns the bytes that a store of these components writes to a texel: floats or integers, by the format. `None` if the
    /// format is not supported, or elements have several texels.
    pub fn encode(&self, components: [u32; 4]) -> Option<Vec<u8>> {
        let [data, number] = self.format;
        let format = Format::image(data, number).filter(|format| format.is_written())?;
        let element = format.element(self.select, components);
        Some(element.to_le_bytes()[..format.bytes() as usize].to_vec())
    }
}

#[cfg(test)]
#[path = "surface_tests.rs"]
mod tests;
