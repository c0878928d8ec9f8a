//! Where the texels of an image are, and what they hold.
//!
//! Only linear images are known. The elements of a level follow each other in rows, rows in slices, and the samples of a
//! texel have a slice each. Where levels begin, docs/images.md says.

use wavetank_ir::Tiling;

use crate::descriptor::{ImageResource, ImageType};
use crate::elements::{self, Four};
use crate::format::{self, Extent, Format};
use crate::lanes::{Lanes, which};
use crate::surface::linear;

/// What rows are padded to, in bytes.
const ROW: u32 = 256;

/// An image that can be accessed.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    pub resource: ImageResource,
    pub format: Format,
}

/// A level of an image.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// The address of the first slice that is seen.
    address: u64,
    /// Texels in each direction; the third is the number of slices.
    pub size: [u32; 3],
    /// Bytes from row to row.
    row: u32,
    /// Rows from slice to slice.
    rows: u32,
    /// Bytes of an element.
    bytes: u32,
    /// The texels of an element.
    extent: Extent,
}

impl Surface {
    /// The image of eight words, or of four and zeros if it is `narrow`: `None`
    /// for an unbound one, which loads as 0 and drops stores.
    ///
    /// # Errors
    /// A sentence that says what of the resource is not known.
    pub fn new(words: [u32; 8], tiling: Tiling, narrow: bool) -> Result<Option<Self>, String> {
        if words == [0; 8] {
            return Ok(None);
        }
        let Some(mut resource) = ImageResource::read(words, tiling) else {
            let kind = words[3] >> 28;
            return Err(format!("its resource has type {kind}, which is no image"));
        };
        let ImageResource {
            format: [data, number],
            swizzle,
            kind,
            ..
        } = resource;
        if !resource.is_linear() {
            return Err(match tiling {
                Tiling::Indexed => format!(
                    "images of tiling index {swizzle} are not executed yet, only those of 8, which is linear"
                ),
                Tiling::Swizzled => format!(
                    "images in swizzle mode {swizzle} are not executed yet, only linear ones"
                ),
            });
        }
        if resource.compressed {
            return Err("images with compressed colors are not executed yet".into());
        }
        if narrow && !matches!(kind, ImageType::D1 | ImageType::D2 | ImageType::D2Msaa) {
            return Err(format!(
                "its resource has type {}, and one of 128 bits is a line or a plane",
                kind as u32
            ));
        }
        let format = match Format::image(data, number) {
            Some(format) => format,
            // The first format is that of an unbound resource.
            None if data == 0 => return Ok(None),
            None => {
                return Err(format!(
                    "images of data format {data} and number format {number} are not executed yet"
                ));
            }
        };
        if narrow {
            resource.pitch = own_pitch(resource.size[0], format);
        }
        Ok(Some(Surface { resource, format }))
    }

    /// Coordinates of a texel: 1 for lines, 2 for planes, 3 for volumes.
    pub fn dimensions(&self) -> usize {
        match self.resource.kind {
            ImageType::D1 | ImageType::D1Array => 1,
            ImageType::D3 => 3,
            _ => 2,
        }
    }

    /// Texels in each direction of the first level in memory; the third is the number of slices.
    fn size(&self) -> [u32; 3] {
        let [width, height, depth] = self.resource.size;
        match self.resource.kind {
            ImageType::D1 => [width, 1, 1],
            ImageType::D1Array => [width, 1, depth],
            ImageType::D2 | ImageType::D2Msaa => [width, height, 1],
            _ => [width, height, depth],
        }
    }

    /// Whether its slices have indices of their own.
    pub fn is_array(&self) -> bool {
        self.resource.kind.is_array()
    }

    /// A level, counted from the first that is seen.
    #[inline(always)]
    pub fn level(&self, n: u32) -> Level {
        let n = n + match self.resource.kind.is_sampled() {
            true => 0,
            false => u32::from(self.resource.levels[0]),
        };
        let [width, height, depth] = self.size();
        let half = |x: u32| (x >> n).max(1);
        let depth = match self.resource.kind {
            ImageType::D3 => half(depth),
            _ => depth,
        };
        let place = match (self.resource.tiling, self.resource.levels_in_memory()) {
            (Tiling::Swizzled, 1) | (Tiling::Indexed, _) if n == 0 => self.alone([width, height]),
            (Tiling::Swizzled, _) => self.shared_rows([width, height], n),
            (Tiling::Indexed, _) => self.own_rows(n),
        };
        let slice = u64::from(place.row) * u64::from(place.rows);
        let first = u64::from(self.resource.first_slice) * u64::from(self.resource.samples());
        let offset = place.offset.wrapping_add(first.wrapping_mul(slice));
        Level {
            address: self.resource.address.wrapping_add(offset),
            size: [half(width), half(height), depth],
            row: place.row,
            rows: place.rows,
            bytes: self.format.bytes(),
            extent: self.format.extent(),
        }
    }

    /// The elements that hold texels.
    fn elements(&self, [width, height]: [u32; 2]) -> [u32; 2] {
        let [in_row, rows] = self.format.extent();
        [width.div_ceil(1 << in_row), height.div_ceil(1 << rows)]
    }

    /// A level with nothing of others between its slices.
    #[inline(always)]
    fn alone(&self, [_, height]: [u32; 2]) -> Place {
        let [pitch, rows] = self.elements([self.resource.pitch, height]);
        Place {
            offset: 0,
            row: pitch * self.format.bytes(),
            rows,
        }
    }

    /// Levels whose rows are as long as those of the first; each slice has all of them, one under the other, with half as
    /// many rows each, rounded up.
    fn shared_rows(&self, size: [u32; 2], level: u32) -> Place {
        let [width, height] = self.elements(size);
        let row = (width * self.format.bytes()).next_multiple_of(ROW);
        let above = (0..level).map(|n| height.div_ceil(1 << n)).sum::<u32>();
        Place {
            offset: u64::from(above) * u64::from(row),
            row,
            rows: self.resource.pitch,
        }
    }

    /// Levels with rows of their own length. Each has all its slices, and stands behind the one before. All but the first
    /// have the sizes of an image whose sides are powers of two.
    fn own_rows(&self, level: u32) -> Place {
        let [width, height, depth] = self.size();
        let slices = match self.resource.kind {
            ImageType::D3 => depth,
            _ => (depth + self.resource.first_slice) * self.resource.samples(),
        };
        let mut place = self.alone([width, height]);
        let mut slices_of = slices;
        for n in 1..=level {
            let bytes = u64::from(place.row) * u64::from(place.rows) * u64::from(slices_of);
            let half = |x: u32| (x.next_power_of_two() >> n).max(1);
            let [_, rows] = self.elements([1, half(height)]);
            let [pitch, _] = self.elements([own_pitch(half(width), self.format), 1]);
            place = Place {
                offset: (place.offset + bytes).next_multiple_of(ROW.into()),
                row: pitch * self.format.bytes(),
                rows,
            };
            if self.resource.kind == ImageType::D3 {
                slices_of = half(depth);
            }
        }
        place
    }

    /// [`Surface::select`] of each lane.
    #[inline(always)]
    pub fn select_lanes(&self, components: &Four) -> Four {
        elements::select(self.resource.select, components, self.format.one())
    }

    /// What registers get of a texel's components: the selected ones.
    pub fn select(&self, components: [u32; 4]) -> [u32; 4] {
        let one = self.format.one();
        self.resource
            .select
            .map(|s| format::select(s, components, one))
    }
}

/// Texels from row to row of a level of gfx6 to gfx8 that has no field for them: those of LINEAR_ALIGNED.
fn own_pitch(width: u32, format: Format) -> u32 {
    let [in_row, _] = format.extent();
    width.next_multiple_of((ROW / format.bytes()).max(64) << in_row)
}

/// Where a level is within its image.
struct Place {
    /// Bytes from the first slice of the first level to its first slice.
    offset: u64,
    row: u32,
    rows: u32,
}

impl Level {
    /// The address of the element of a texel, and the number of the texel in it; `None` outside the image. For images with
    /// several samples slices are those of samples.
    pub fn texel(&self, at: [i64; 3], samples: u32) -> Option<(u64, u32)> {
        let [width, height, slices] = self.size;
        let size = [width, height, slices * samples];
        let inside = (0..3).all(|n| (0..i64::from(size[n])).contains(&at[n]));
        if !inside {
            return None;
        }
        let [x, y, z] = at.map(|n| n as u64);
        let [in_row, rows] = self.extent;
        let within = (y & ((1 << rows) - 1)) << in_row | x & ((1 << in_row) - 1);
        let row = u64::from(self.row);
        let offset = linear(
            [(x >> in_row) * u64::from(self.bytes), y >> rows, z],
            row,
            row * u64::from(self.rows),
        );
        Some((self.address.wrapping_add(offset), within as u32))
    }

    /// The addresses of the elements of texels, and which of those are inside the image.
    #[inline(always)]
    pub fn texels(&self, [x, y, z]: &[Lanes; 3], samples: u32) -> ([u64; 64], u64) {
        let [width, height, slices] = self.size;
        let slices = slices * samples;
        let inside = which(|lane| x[lane] < width && y[lane] < height && z[lane] < slices);
        let [in_row, rows] = self.extent;
        // Rows are counted by 32 bits: 13 of slices, and 14 of rows and 4 of samples, or 16 of the rows of levels. What is
        // outside may wrap.
        let times = |a: u32, b: u32| u64::from(a) * u64::from(b);
        let mut address = [0; 64];
        for lane in 0..64 {
            let row = (times(z[lane], self.rows) as u32).wrapping_add(y[lane] >> rows);
            let offset = times(row, self.row).wrapping_add(times(x[lane] >> in_row, self.bytes));
            address[lane] = self.address.wrapping_add(offset);
        }
        (address, inside)
    }

    /// The numbers of texels in their elements.
    #[inline(always)]
    pub fn within(&self, [x, y, _]: &[Lanes; 3]) -> Lanes {
        let [in_row, rows] = self.extent;
        std::array::from_fn(|lane| {
            (y[lane] & ((1 << rows) - 1)) << in_row | x[lane] & ((1 << in_row) - 1)
        })
    }
}

impl ImageResource {
    /// The bytes of a texel that stores of these components make: floats, or integers, as the format has them. `None` if
    /// the format is not known, or elements have several texels.
    pub fn encode(&self, components: [u32; 4]) -> Option<Vec<u8>> {
        let [data, number] = self.format;
        let format = Format::image(data, number).filter(|format| format.is_written())?;
        let element = format.pack(format::unselect(self.select, components));
        Some(element.to_le_bytes()[..format.bytes() as usize].to_vec())
    }
}

#[cfg(test)]
#[path = "surface_tests.rs"]
mod tests;
