//! Where the texels of an image are, and what they hold.
//!
//! Only linear images with one level are known: texel (x, y) of slice z is
//! element (z · height + y) · pitch + x.

use crate::descriptor::{ImageResource, ImageType};
use crate::elements::{self, Four};
use crate::format::{self, Format};
use crate::lanes::{Lanes, which};
use crate::surface::linear;

/// An image that can be accessed.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    pub resource: ImageResource,
    pub format: Format,
}

impl Surface {
    /// The image of eight words: `None` for an unbound one, which loads as 0
    /// and drops stores.
    ///
    /// # Errors
    /// A sentence that says what of the resource is not known.
    pub fn new(words: [u32; 8]) -> Result<Option<Self>, String> {
        if words == [0; 8] {
            return Ok(None);
        }
        let Some(resource) = ImageResource::from_words(words) else {
            let kind = words[3] >> 28;
            return Err(format!("its resource has type {kind}, which is no image"));
        };
        let ImageResource {
            format: [data, number],
            swizzle,
            ..
        } = resource;
        if swizzle != 0 {
            return Err(format!(
                "images in swizzle mode {swizzle} are not executed yet, only linear ones"
            ));
        }
        if matches!(resource.kind, ImageType::D2Msaa | ImageType::D2MsaaArray) {
            return Err("images with several samples a texel are not executed yet".into());
        }
        match Format::image(data, number) {
            Some(format) => Ok(Some(Surface { resource, format })),
            // The first format is that of an unbound resource.
            None if data == 0 => Ok(None),
            None => Err(format!(
                "images of data format {data} and number format {number} are not executed yet"
            )),
        }
    }

    /// Coordinates of a texel: 1 for lines, 2 for planes, 3 for volumes.
    pub fn dimensions(&self) -> usize {
        match self.resource.kind {
            ImageType::D1 | ImageType::D1Array => 1,
            ImageType::D3 => 3,
            _ => 2,
        }
    }

    /// Texels in each direction; the third is the number of slices.
    pub fn size(&self) -> [u32; 3] {
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
        use ImageType::*;
        matches!(self.resource.kind, D1Array | D2Array | Cube | D2MsaaArray)
    }

    /// The address of a texel; `None` outside the image.
    pub fn texel(&self, at: [i64; 3]) -> Option<u64> {
        let size = self.size();
        let inside = (0..3).all(|n| (0..i64::from(size[n])).contains(&at[n]));
        if !inside {
            return None;
        }
        let [x, y, z] = at.map(|n| n as u64);
        let slice = z + u64::from(self.resource.first_slice);
        let bytes = u64::from(self.format.bytes());
        let row = u64::from(self.resource.pitch) * bytes;
        let offset = linear([x * bytes, y, slice], row, row * u64::from(size[1]));
        Some(self.resource.address.wrapping_add(offset))
    }

    /// The addresses of texels, and which of them are inside the image.
    #[inline(always)]
    pub fn texels(&self, [x, y, z]: &[Lanes; 3]) -> ([u64; 64], u64) {
        let [width, height, depth] = self.size();
        let inside = which(|lane| x[lane] < width && y[lane] < height && z[lane] < depth);
        let (pitch, bytes) = (self.resource.pitch, u64::from(self.format.bytes()));
        // Numbers of slices and of rows have fewer than 32 bits; what is outside may wrap.
        let times = |a: u32, b: u32| u64::from(a) * u64::from(b);
        let mut address = [0; 64];
        for lane in 0..64 {
            let slice = z[lane].wrapping_add(self.resource.first_slice);
            let row = times(slice, height) as u32;
            let element = times(row.wrapping_add(y[lane]), pitch) + u64::from(x[lane]);
            address[lane] = self
                .resource
                .address
                .wrapping_add(element.wrapping_mul(bytes));
        }
        (address, inside)
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

impl ImageResource {
    /// The bytes of a texel that stores of these components make: floats, or integers, as the format has them. `None` if
    /// the format is not known.
    pub fn encode(&self, components: [u32; 4]) -> Option<Vec<u8>> {
        let [data, number] = self.format;
        let format = Format::image(data, number)?;
        let element = format.pack(format::unselect(self.select, components));
        Some(element.to_le_bytes()[..format.bytes() as usize].to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_follow_rows_and_slices() {
        let r = ImageResource::plain(ImageType::D2Array, 0x1000, [10, 0], [5, 3, 4], 64);
        let s = Surface::new(r.to_words()).unwrap().unwrap();
        assert_eq!(s.texel([0, 0, 0]), Some(0x1000));
        assert_eq!(
            s.texel([4, 2, 3]),
            Some(0x1000 + 4 * (64 * (3 * 3 + 2) + 4))
        );
        for outside in [[5, 0, 0], [0, 3, 0], [0, 0, 4], [-1, 0, 0]] {
            assert_eq!(s.texel(outside), None);
        }
        let first = ImageResource {
            first_slice: 2,
            size: [5, 3, 2],
            ..r
        };
        let s = Surface::new(first.to_words()).unwrap().unwrap();
        assert_eq!(s.texel([0, 0, 1]), Some(0x1000 + 4 * 64 * 3 * 3));
        assert_eq!(s.texel([0, 0, 2]), None);
    }

    /// Those of all lanes are those of each.
    #[test]
    fn texels_of_lanes() {
        let r = ImageResource::plain(ImageType::D3, 0x1000, [11, 0], [16384, 16384, 8191], 65536);
        let s = Surface::new(r.to_words()).unwrap().unwrap();
        let at = |step: u32| std::array::from_fn(|lane| step.wrapping_mul(lane as u32));
        for steps in [[1, 1, 1], [261, 3, 131], [0, 1 << 27, 1], [5, 262, 200]] {
            let at = steps.map(at);
            let (address, inside) = s.texels(&at);
            for lane in 0..64 {
                let want = s.texel(at.map(|x| x[lane].into()));
                let got = (inside >> lane & 1 != 0).then_some(address[lane]);
                assert_eq!(got, want, "{steps:?} {lane}");
            }
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let r = ImageResource::plain(ImageType::D2, 0x1000, [10, 0], [5, 3, 1], 64);
        let error = |r: ImageResource| Surface::new(r.to_words()).unwrap_err();
        assert!(error(ImageResource { swizzle: 9, ..r }).contains("swizzle mode 9"));
        assert!(
            error(ImageResource {
                format: [40, 0],
                ..r
            })
            .contains("data format 40")
        );
        assert!(
            error(ImageResource {
                kind: ImageType::D2Msaa,
                ..r
            })
            .contains("samples")
        );
        assert!(
            Surface::new([0, 0, 0, 0, 0, 0, 0, 1])
                .unwrap_err()
                .contains("type 0")
        );
        assert!(Surface::new([0; 8]).unwrap().is_none());
    }
}
