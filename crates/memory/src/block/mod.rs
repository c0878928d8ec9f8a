//! Block compression: decoding of BC1 to BC7, blocks of 4 × 4 texels (Khronos Data Format Specification, chapters "S3TC", "RGTC"
//! and "BPTC").
//!
//! The decoders return numbers as the specification defines them, as fractions or halves. The conversion to register values is in
//! [`format`](crate::format).

mod bptc;
mod partitions;

/// The format of a compressed block of 4 by 4 texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Block {
    /// Two colors and colors interpolated between them; one may be transparent.
    Bc1,
    /// Colors as in BC1, and alpha in 4 bits.
    Bc2,
    /// Colors as in BC1, and alpha as in BC4.
    Bc3,
    /// One channel of 8-bit numbers with interpolated ones between.
    Bc4,
    /// Two channels, each as in BC4.
    Bc5,
    /// Three channels of halves.
    Bc6,
    /// Three or four channels of numbers.
    Bc7,
}

/// A component of a decoded texel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Part {
    /// A component that the format lacks.
    Absent,
    /// A fraction. Numerator and denominator have fewer than 24 bits.
    Ratio(i32, i32),
    /// The bits of a half.
    Half(u16),
}

impl Block {
    /// Returns the block format of a DFMT number, if it is one.
    pub(crate) fn new(data: u8) -> Option<Block> {
        use Block::*;
        const ALL: [Block; 7] = [Bc1, Bc2, Bc3, Bc4, Bc5, Bc6, Bc7];
        ALL.get(usize::from(data.checked_sub(35)?)).copied()
    }

    /// Returns the size of a block in bytes.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Block::Bc1 | Block::Bc4 => 8,
            _ => 16,
        }
    }

    /// Returns the components of texel `n`, counted row by row. The numbers of BC4 to BC6 may be signed.
    pub(crate) fn texel(self, block: u128, n: u32, signed: bool) -> [Part; 4] {
        let (low, high) = (block as u64, (block >> 64) as u64);
        let opaque = Part::Ratio(1, 1);
        match self {
            Block::Bc1 => {
                let ([x, y, z], there) = color(low, n, false);
                [x, y, z, if there { opaque } else { Part::Ratio(0, 1) }]
            }
            Block::Bc2 => {
                let ([x, y, z], _) = color(high, n, true);
                [x, y, z, Part::Ratio((low >> (4 * n) & 15) as i32, 15)]
            }
            Block::Bc3 => {
                let ([x, y, z], _) = color(high, n, true);
                [x, y, z, number(low, n, false)]
            }
            Block::Bc4 => [
                number(low, n, signed),
                Part::Absent,
                Part::Absent,
                Part::Absent,
            ],
            Block::Bc5 => {
                let [x, y] = [low, high].map(|half| number(half, n, signed));
                [x, y, Part::Absent, Part::Absent]
            }
            Block::Bc6 => {
                let [x, y, z] = bptc::halves(block, n, signed).map(Part::Half);
                [x, y, z, Part::Absent]
            }
            Block::Bc7 => bptc::bytes(block, n).map(|byte| Part::Ratio(byte.into(), 255)),
        }
    }
}

/// Returns the color of a texel, and `false` for the transparent one. A block has the transparent color if its first color is not
/// greater than its second, unless `always` demands four colors.
fn color(block: u64, n: u32, always: bool) -> ([Part; 3], bool) {
    let index = block >> (32 + 2 * n) & 3;
    let (first, second) = (block as u16, (block >> 16) as u16);
    let four = always || first > second;
    // The weights of the first and the second color.
    let (a, b) = match (index, four) {
        (0, _) => (1, 0),
        (1, _) => (0, 1),
        (2, true) => (2, 1),
        (3, true) => (1, 2),
        (2, false) => (1, 1),
        _ => return ([Part::Ratio(0, 1); 3], false),
    };
    let part = |at: u32, width: u32| {
        let most = (1 << width) - 1;
        let of = |color: u16| i32::from(color >> at) & most;
        Part::Ratio(a * of(first) + b * of(second), (a + b) * most)
    };
    ([part(11, 5), part(5, 6), part(0, 5)], true)
}

/// Returns a number of BC4: one of two endpoints, or one of six between them, or one of four and the limits of the range.
fn number(block: u64, n: u32, signed: bool) -> Part {
    let index = (block >> (16 + 3 * n) & 7) as i32;
    let most = if signed { 127 } else { 255 };
    let end = |at: u32| {
        if signed {
            i32::from((block >> at) as i8)
        } else {
            i32::from((block >> at) as u8)
        }
    };
    let (first, second) = (end(0), end(8));
    let between = if first > second { 7 } else { 5 };
    // -128 stands for -127 too.
    let [first, second] = [first, second].map(|x| x.max(-127));
    match (index, between) {
        (0, _) => Part::Ratio(first, most),
        (1, _) => Part::Ratio(second, most),
        (6, 5) => Part::Ratio(if signed { -1 } else { 0 }, 1),
        (7, 5) => Part::Ratio(1, 1),
        _ => {
            let b = index - 1;
            Part::Ratio((between - b) * first + b * second, between * most)
        }
    }
}

#[cfg(test)]
mod tests;
