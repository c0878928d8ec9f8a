//! The formats of images, and their fields in a resource.

use wavetank::ElementFormat;

use crate::c_types::{ImageFormat, Result, Status};

/// Data and number formats of resources (Vega ISA, 8.1.3 and 8.2.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    /// The layout of an element.
    pub data: u8,
    /// The interpretation of its bits.
    pub number: u8,
    /// The sources of x, y, z and w: 0, 1, or 4 to 7 for a component.
    pub select: [u8; 4],
    /// Bytes of an element.
    pub bytes: usize,
}

/// Number formats, with the numbers of NUM_FORMAT.
const UNORM: u8 = 0;
const SNORM: u8 = 1;
const UINT: u8 = 4;
const SINT: u8 = 5;
const FLOAT: u8 = 7;
const SRGB: u8 = 9;

/// Bits of a component and the number format of a channel type; packed types have none.
fn component(channel_type: u32) -> Option<(u32, u8)> {
    Some(match channel_type {
        0 => (8, SNORM),
        1 => (16, SNORM),
        2 => (8, UNORM),
        3 => (16, UNORM),
        8 => (8, SINT),
        9 => (16, SINT),
        10 => (32, SINT),
        11 => (8, UINT),
        12 => (16, UINT),
        13 => (32, UINT),
        14 => (16, FLOAT),
        15 => (32, FLOAT),
        _ => return None,
    })
}

/// The number of components in memory, and their selects, by channel order: the order's name lists components from the lowest
/// address up ("HSA Runtime Programmer's Reference Manual", image channel order).
fn order(channel_order: u32) -> Option<(u32, [u8; 4])> {
    Some(match channel_order {
        0 => (1, [0, 0, 0, 4]),      // A
        1 | 2 => (1, [4, 0, 0, 1]),  // R, RX
        3 | 4 => (2, [4, 5, 0, 1]),  // RG, RGX
        5 => (2, [4, 0, 0, 5]),      // RA
        7 | 13 => (4, [4, 5, 6, 1]), // RGBX, SRGBX
        8 | 14 => (4, [4, 5, 6, 7]), // RGBA, SRGBA
        9 | 15 => (4, [6, 5, 4, 7]), // BGRA, SBGRA
        10 => (4, [5, 6, 7, 4]),     // ARGB
        11 => (4, [7, 6, 5, 4]),     // ABGR
        16 => (1, [4, 4, 4, 4]),     // intensity
        17 => (1, [4, 4, 4, 1]),     // luminance
        18 => (1, [4, 0, 0, 0]),     // depth
        _ => return None,
    })
}

/// The data format and element size of packed RGB: the first component is in the highest bits, the last in the lowest.
fn packed(channel_type: u32) -> Option<(u8, usize)> {
    Some(match channel_type {
        5 => (17, 2), // 1_5_5_5
        6 => (16, 2), // 5_6_5
        7 => (9, 4),  // 2_10_10_10
        _ => return None,
    })
}

const RGB: u32 = 6;

impl Format {
    /// The format of a channel type and a channel order.
    ///
    /// # Errors
    /// [`Status::IMAGE_FORMAT_UNSUPPORTED`] for a pair that OpenCL does not have, or that the chip lacks.
    pub(crate) fn new(format: ImageFormat) -> Result<Format> {
        Self::find(format).ok_or(Status::IMAGE_FORMAT_UNSUPPORTED)
    }

    fn find(format: ImageFormat) -> Option<Format> {
        let ImageFormat {
            channel_type,
            channel_order,
        } = format;
        if channel_order == RGB {
            let (data, bytes) = packed(channel_type)?;
            return Some(Format {
                data,
                number: UNORM,
                select: [6, 5, 4, 1],
                bytes,
            });
        }
        let (bits, number) = component(channel_type)?;
        let (count, select) = order(channel_order)?;
        let allowed = match channel_order {
            9..=11 => bits == 8,                     // other orders of four bytes
            12..=15 => bits == 8 && number == UNORM, // sRGB
            0 | 16 | 17 => matches!(number, UNORM | SNORM | FLOAT), // one value, seen as a color
            18 => matches!((bits, number), (16, UNORM) | (32, FLOAT)), // depth
            _ => true,
        };
        let data = match (bits, count) {
            (8, 1) => 1,
            (16, 1) => 2,
            (8, 2) => 3,
            (32, 1) => 4,
            (16, 2) => 5,
            (8, 4) => 10,
            (32, 2) => 11,
            (16, 4) => 12,
            (32, 4) => 14,
            _ => return None,
        };
        let number = if (12..=15).contains(&channel_order) {
            SRGB
        } else {
            number
        };
        let bytes = (bits * count / 8) as usize;
        allowed.then_some(Format {
            data,
            number,
            select,
            bytes,
        })
    }

    /// Whether the format is sRGB: kernels cannot write such an image, and a buffer cannot have the format (Vega ISA, 8.1.3: its
    /// formats end at 14).
    pub(crate) fn is_srgb(self) -> bool {
        self.number == SRGB
    }

    /// The bytes of an element with a color, given by the registers that a load of the element would fill.
    pub(crate) fn element(self, color: [u32; 4]) -> Option<Vec<u8>> {
        let format = ElementFormat::image(self.data, self.number)?;
        // If several registers select a component, the first one counts.
        let first = |n: usize| !self.select[..n].contains(&self.select[n]);
        let select = std::array::from_fn(|n| if first(n) { self.select[n] } else { 0 });
        let element = format.element(select, color);
        Some(element.to_le_bytes()[..self.bytes].to_vec())
    }

    /// The number of registers of a color that are read.
    pub(crate) fn registers(self) -> usize {
        let used = self.select.iter().rposition(|select| *select >= 4);
        used.map_or(0, |last| last + 1)
    }

    /// Whether a buffer resource has a number for the format.
    pub(crate) fn fits_buffer(self) -> bool {
        self.data <= 14 && !self.is_srgb()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(channel_type: u32, channel_order: u32) -> Result<Format> {
        Format::new(ImageFormat {
            channel_type,
            channel_order,
        })
    }

    #[test]
    fn colors_have_their_places() {
        // RGBA of bytes is 8_8_8_8 unorm in the order of memory.
        let rgba = format(2, 8).unwrap();
        assert_eq!(
            (rgba.data, rgba.number, rgba.select, rgba.bytes),
            (10, 0, [4, 5, 6, 7], 4)
        );
        // BGRA has red in the third byte.
        assert_eq!(format(2, 9).unwrap().select, [6, 5, 4, 7]);
        // ARGB has alpha in the first byte.
        assert_eq!(format(2, 10).unwrap().select, [5, 6, 7, 4]);
        // A float4 of OpenCL C.
        let float4 = format(15, 8).unwrap();
        assert_eq!((float4.data, float4.number, float4.bytes), (14, 7, 16));
    }

    #[test]
    fn colors_become_elements() {
        let color = [1.0f32, 0.5, 0.0, 0.25].map(f32::to_bits);
        let element = |kind, order| format(kind, order).unwrap().element(color).unwrap();
        // 255 · 0.5 = 127.5 and 255 · 0.25 = 63.75, rounded to nearest even.
        assert_eq!(element(2, 8), [255, 128, 0, 64]);
        assert_eq!(element(2, 9), [0, 128, 255, 64]);
        assert_eq!(element(2, 10), [64, 255, 128, 0]);
        assert_eq!(element(2, 0), [64], "alpha alone");
        assert_eq!(element(2, 16), [255], "intensity is the first");
        assert_eq!(element(2, 5), [255, 64]);
        // Half precision: 1.0 is 0x3c00, 0.5 is 0x3800, 0.25 is 0x3400.
        assert_eq!(element(14, 8), [0, 0x3c, 0, 0x38, 0, 0, 0, 0x34]);
        // 5_6_5, red in the highest bits: 31, 31.5 to even, 0.
        assert_eq!(element(6, 6), (31u16 << 11 | 32 << 5).to_le_bytes());
        // sRGB: 0.5 is 187.5 of 255 (IEC 61966-2-1); alpha is linear.
        assert_eq!(element(2, 14), [255, 188, 0, 64]);
        let integers = format(8, 8).unwrap().element([300, -300i32 as u32, 5, 0]);
        assert_eq!(integers.unwrap(), [127, 0x80, 5, 0]);
        let registers = |kind, order| format(kind, order).unwrap().registers();
        assert_eq!(
            [
                registers(2, 1),
                registers(2, 0),
                registers(2, 8),
                registers(15, 18)
            ],
            [1, 4, 4, 1]
        );
    }

    #[test]
    fn what_no_chip_has_is_refused() {
        // RGB of floats; sRGB of halves; RGBA of 5_6_5; numbers without a meaning.
        for (channel_type, channel_order) in [(15, 6), (14, 14), (6, 8), (16, 8), (2, 20), (13, 16)]
        {
            let refused = format(channel_type, channel_order);
            assert_eq!(
                refused,
                Err(Status::IMAGE_FORMAT_UNSUPPORTED),
                "{channel_type} {channel_order}"
            );
        }
    }
}
