//! Blocks of 4 × 4 compressed texels: what BC1 to BC7 hold, by the Khronos Data Format Specification, chapters "S3TC", "RGTC"
//! and "BPTC".
//!
//! Numbers are told as they are defined, as fractions or as halves; what registers get of them, formats say.

mod bptc;
mod partitions;

/// A way of compressing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Block {
    /// Two colors and those between them; one may be transparent.
    Bc1,
    /// Colors as in BC1, and alpha in 4 bits.
    Bc2,
    /// Colors as in BC1, and alpha as in BC4.
    Bc3,
    /// One number.
    Bc4,
    /// Two of them.
    Bc5,
    /// Three halves.
    Bc6,
    /// Three or four numbers.
    Bc7,
}

/// A component.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Part {
    /// There is none.
    Absent,
    /// A fraction. Numerator and denominator have fewer than 24 bits.
    Ratio(i32, i32),
    /// The bits of a half.
    Half(u16),
}

impl Block {
    /// By the number of its data format.
    pub fn new(data: u8) -> Option<Block> {
        use Block::*;
        const ALL: [Block; 7] = [Bc1, Bc2, Bc3, Bc4, Bc5, Bc6, Bc7];
        ALL.get(usize::from(data.checked_sub(35)?)).copied()
    }

    /// Bytes of a block.
    pub fn bytes(self) -> u32 {
        match self {
            Block::Bc1 | Block::Bc4 => 8,
            _ => 16,
        }
    }

    /// The components of a texel by its number, row after row. Numbers of BC4 to BC6 may be signed.
    pub fn texel(self, block: u128, n: u32, signed: bool) -> [Part; 4] {
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

/// A color, and whether it is not the transparent one that there is if the first is no greater than the second, and not
/// `always` four are.
fn color(block: u64, n: u32, always: bool) -> ([Part; 3], bool) {
    let index = block >> (32 + 2 * n) & 3;
    let (first, second) = (block as u16, (block >> 16) as u16);
    let four = always || first > second;
    // Parts of the first and of the second.
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

/// A number: one of two, or of six between them, or of four and the limits of the range.
fn number(block: u64, n: u32, signed: bool) -> Part {
    let index = (block >> (16 + 3 * n) & 7) as i32;
    let most = if signed { 127 } else { 255 };
    let end = |at: u32| match signed {
        true => i32::from((block >> at) as i8),
        false => i32::from((block >> at) as u8),
    };
    let (first, second) = (end(0), end(8));
    let between = if first > second { 7 } else { 5 };
    // -128 is another name of -127.
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
