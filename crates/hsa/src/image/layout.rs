//! The layout of an image in memory, and the resource that describes it to a kernel.

use wavetank::ir::Dialect;
use wavetank::{Chip, ImageResource, ImageType, buffer_dialect, image_tiling};

use super::format::Format;
use crate::c_types::{ImageDataInfo, ImageDescriptor, Result, Status};

/// The alignment of image addresses, and of the bytes from row to row (Vega ISA, 8.2.5: the address is in units of 256).
pub(crate) const ALIGNMENT: usize = 256;

/// The largest numbers of elements in x and y; others for a volume, for layers, and for a buffer follow.
pub(crate) const MAX_EXTENT: usize = 16384;
pub(crate) const MAX_DEPTH: usize = 8192;
pub(crate) const MAX_LAYERS: usize = 8192;
pub(crate) const MAX_BUFFER: usize = u32::MAX as usize;

/// The geometry `HSA_EXT_IMAGE_GEOMETRY_1DB`.
pub(super) const BUFFER: u32 = 5;

/// The sizes that a geometry has, and its type as a resource; buffers have another resource.
struct Shape {
    kind: Option<ImageType>,
    height: bool,
    depth: bool,
    layers: bool,
}

fn shape(geometry: u32) -> Result<Shape> {
    let (kind, [height, depth, layers]) = match geometry {
        0 => (Some(ImageType::D1), [false, false, false]),
        1 | 6 => (Some(ImageType::D2), [true, false, false]),
        2 => (Some(ImageType::D3), [true, true, false]),
        3 => (Some(ImageType::D1Array), [false, false, true]),
        4 | 7 => (Some(ImageType::D2Array), [true, false, true]),
        BUFFER => (None, [false, false, false]),
        _ => return Err(Status::ERROR_INVALID_ARGUMENT),
    };
    Ok(Shape {
        kind,
        height,
        depth,
        layers,
    })
}

/// The layout of an image in memory: rows of elements, slices of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    pub format: Format,
    kind: Option<ImageType>,
    /// Elements of a row, rows of a slice, and slices: at least 1 each.
    pub size: [usize; 3],
    /// Bytes from a row to the next.
    pub row_pitch: usize,
    /// Bytes from a slice to the next.
    pub slice_pitch: usize,
}

impl Layout {
    /// The layout of an image, with the caller's pitches; 0 stands for the smallest pitch.
    ///
    /// # Errors
    /// Sizes, formats and pitches that a resource cannot express, by the statuses of the extension.
    pub(crate) fn new(
        image: &ImageDescriptor,
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<Layout> {
        let shape = shape(image.geometry)?;
        let format = Format::new(image.format)?;
        let depth_image = matches!(image.geometry, 6 | 7);
        if depth_image != (image.format.channel_order == 18)
            || (shape.kind.is_none() && !format.fits_buffer())
        {
            return Err(Status::IMAGE_FORMAT_UNSUPPORTED);
        }
        let width = if shape.kind.is_some() {
            MAX_EXTENT
        } else {
            MAX_BUFFER
        };
        let limit = |has: bool, value: usize, most: usize| match (has, value) {
            (true, 1..) if value <= most => Ok(value),
            (true, 1..) => Err(Status::IMAGE_SIZE_UNSUPPORTED),
            (false, 0 | 1) => Ok(1),
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        };
        let rows = limit(shape.height, image.height, MAX_EXTENT)?;
        let depth = limit(shape.depth, image.depth, MAX_DEPTH)?;
        let layers = limit(shape.layers, image.array_size, MAX_LAYERS)?;
        let size = [limit(true, image.width, width)?, rows, depth.max(layers)];

        let row = size[0] * format.bytes;
        let aligned = if shape.kind.is_some() {
            row.next_multiple_of(ALIGNMENT)
        } else {
            row
        };
        let row_pitch = if row_pitch == 0 { aligned } else { row_pitch };
        // The pitch of a single row has no effect.
        let single = size[1] == 1 && size[2] == 1;
        if row_pitch < row || !(single || row_pitch.is_multiple_of(ALIGNMENT)) {
            return Err(Status::IMAGE_PITCH_UNSUPPORTED);
        }
        let row_pitch = if single { aligned } else { row_pitch };
        // A resource has no field for the slice pitch.
        let slice = row_pitch * size[1];
        if slice_pitch != 0 && slice_pitch != slice && size[2] > 1 {
            return Err(Status::IMAGE_PITCH_UNSUPPORTED);
        }
        Ok(Layout {
            format,
            kind: shape.kind,
            size,
            row_pitch,
            slice_pitch: slice,
        })
    }

    /// The layout in a resource of the vendor's own format, which must agree with the description.
    ///
    /// # Errors
    /// A resource of another geometry, format or size, with levels, or swizzled: images are linear here.
    pub(crate) fn of_resource(
        image: &ImageDescriptor,
        words: [u32; 8],
        chip: Chip,
    ) -> Result<Layout> {
        let resource = ImageResource::read(words, image_tiling(chip));
        let resource = resource.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let bytes = Format::new(image.format)?.bytes;
        let layout = Layout::new(image, resource.pitch as usize * bytes, 0)?;
        let Format { data, number, .. } = layout.format;
        let agrees = layout.kind == Some(resource.kind)
            && resource.format == [data, number]
            && resource.size.map(|n| n as usize) == layout.size
            && resource.is_linear()
            && resource.levels == [0, 0]
            && resource.first_slice == 0;
        if agrees {
            Ok(layout)
        } else {
            Err(Status::ERROR_INVALID_ARGUMENT)
        }
    }

    /// The size and alignment of the memory that the image needs.
    pub(crate) fn info(&self) -> ImageDataInfo {
        ImageDataInfo {
            size: self.slice_pitch * self.size[2],
            alignment: ALIGNMENT,
        }
    }

    /// Bytes from the image's address to an element.
    pub(crate) fn offset(&self, [x, y, z]: [usize; 3]) -> usize {
        z * self.slice_pitch + y * self.row_pitch + x * self.format.bytes
    }

    /// The words of the resource of an image, or of a buffer, at an address.
    pub(crate) fn words(&self, address: u64, chip: Chip) -> [u32; 8] {
        let Some(kind) = self.kind else {
            return self.buffer_words(address, chip);
        };
        let pitch = self.row_pitch / self.format.bytes;
        let Format {
            data,
            number,
            select,
            ..
        } = self.format;
        let size = self.size.map(|n| n as u32);
        let plain = ImageResource::plain(kind, address, [data, number], size, pitch as u32);
        let image = ImageResource { select, ..plain };
        image.read_by(image_tiling(chip)).to_words()
    }

    /// A buffer resource whose records are elements (Vega ISA, 8.1.4 "Buffer Resource").
    fn buffer_words(&self, address: u64, chip: Chip) -> [u32; 8] {
        let Format {
            data,
            number,
            select,
            bytes,
        } = self.format;
        let select = (0..4).fold(0, |word, n| word | u32::from(select[n]) << (3 * n));
        [
            address as u32,
            (address >> 32) as u32 & 0xffff | (bytes as u32) << 16,
            match buffer_dialect(chip) {
                // Without swizzling, the field counts bytes.
                Dialect::Swizzled => (self.size[0] * bytes) as u32,
                Dialect::Strided | Dialect::Indexed | Dialect::Summed => self.size[0] as u32,
            },
            select | u32::from(number) << 12 | u32::from(data) << 15,
            0,
            0,
            0,
            0,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c_types::ImageFormat;

    fn image(geometry: u32, [width, height, depth, array_size]: [usize; 4]) -> ImageDescriptor {
        let format = ImageFormat {
            channel_type: 2,
            channel_order: 8,
        };
        ImageDescriptor {
            geometry,
            width,
            height,
            depth,
            array_size,
            format,
        }
    }

    #[test]
    fn planes_have_aligned_rows() {
        let layout = Layout::new(&image(1, [100, 50, 0, 0]), 0, 0).unwrap();
        assert_eq!((layout.row_pitch, layout.info().size), (512, 512 * 50));
        assert_eq!(layout.offset([3, 2, 0]), 2 * 512 + 12);
        let resource = ImageResource::from_words(layout.words(0x1234_5600, Chip::Gfx900)).unwrap();
        assert_eq!(
            (resource.address, resource.kind, resource.pitch),
            (0x1234_5600, ImageType::D2, 128)
        );
        assert_eq!((resource.size, resource.format), ([100, 50, 1], [10, 0]));
    }

    #[test]
    fn layers_are_slices() {
        let layout = Layout::new(&image(4, [5, 3, 0, 4]), 0, 0).unwrap();
        assert_eq!((layout.size, layout.slice_pitch), ([5, 3, 4], 768));
    }

    #[test]
    fn impossible_images_are_refused() {
        let status = |geometry, size, row| Layout::new(&image(geometry, size), row, 0).unwrap_err();
        assert_eq!(status(9, [1, 0, 0, 0], 0), Status::ERROR_INVALID_ARGUMENT);
        assert_eq!(status(0, [0, 0, 0, 0], 0), Status::ERROR_INVALID_ARGUMENT);
        assert_eq!(status(0, [5, 7, 0, 0], 0), Status::ERROR_INVALID_ARGUMENT);
        assert_eq!(
            status(1, [20000, 1, 0, 0], 0),
            Status::IMAGE_SIZE_UNSUPPORTED
        );
        assert_eq!(
            status(1, [100, 50, 0, 0], 100),
            Status::IMAGE_PITCH_UNSUPPORTED
        );
        assert_eq!(
            status(1, [100, 50, 0, 0], 500),
            Status::IMAGE_PITCH_UNSUPPORTED
        );
        // A plane of colors is not a depth image.
        assert_eq!(status(6, [4, 4, 0, 0], 0), Status::IMAGE_FORMAT_UNSUPPORTED);
    }

    #[test]
    fn buffers_count_elements() {
        let layout = Layout::new(&image(BUFFER, [1000, 0, 0, 0]), 0, 0).unwrap();
        let words = layout.words(0x7_0000_1000, Chip::Gfx900);
        assert_eq!(words[..3], [0x1000, 4 << 16 | 7, 1000]);
        // The selects x, y, z, w; the number format unorm; the data format 8_8_8_8.
        assert_eq!(words[3], 0o7654 | 10 << 15);
        assert_eq!(layout.info().size, 4000);
        // On gfx8, the field counts bytes.
        assert_eq!(layout.words(0x7_0000_1000, Chip::Gfx803)[2], 4000);
    }

    #[test]
    fn older_chips_have_linear_images_by_an_index() {
        let plane = image(1, [100, 50, 0, 0]);
        let words = Layout::new(&plane, 1024, 0)
            .unwrap()
            .words(0x1000, Chip::Gfx803);
        // TILING_INDEX, bits 24:20 of the fourth word: 8 is linear.
        assert_eq!(words[3] >> 20 & 0x1f, 8);
        let layout = Layout::of_resource(&plane, words, Chip::Gfx803).unwrap();
        assert_eq!((layout.size, layout.row_pitch), ([100, 50, 1], 1024));
    }

    #[test]
    fn a_linear_resource_of_the_vendor_is_a_layout() {
        let plane = image(1, [100, 50, 0, 0]);
        let words = |change: fn(&mut ImageResource)| {
            let layout = Layout::new(&plane, 1024, 0).unwrap();
            let mut resource = ImageResource::from_words(layout.words(0, Chip::Gfx900)).unwrap();
            change(&mut resource);
            resource.to_words()
        };
        let layout = Layout::of_resource(&plane, words(|_| {}), Chip::Gfx900).unwrap();
        assert_eq!((layout.size, layout.row_pitch), ([100, 50, 1], 1024));
        let changes: [fn(&mut ImageResource); 5] = [
            |r| r.swizzle = 9,
            |r| r.levels = [0, 3],
            |r| r.size[1] = 51,
            |r| r.kind = ImageType::D3,
            |r| r.format = [10, 4],
        ];
        for change in changes {
            let refused = Layout::of_resource(&plane, words(change), Chip::Gfx900);
            assert_eq!(refused, Err(Status::ERROR_INVALID_ARGUMENT));
        }
        assert_eq!(
            Layout::of_resource(&plane, [0; 8], Chip::Gfx900),
            Err(Status::ERROR_INVALID_ARGUMENT)
        );
    }
}
