//! BC6 and BC7: the endpoints of a block and the interpolation of its texels.

use super::partitions::Division;

/// A reader of the bits of a block, from the lowest up.
struct Bits {
    rest: u128,
}

impl Bits {
    fn take(&mut self, count: u32) -> u32 {
        let taken = self.rest & ((1 << count) - 1);
        self.rest >>= count;
        taken as u32
    }
}

/// Returns the interpolation weight of an index of `bits` bits, in 64ths.
fn weight(index: u32, bits: u32) -> i32 {
    const TWO: [i32; 4] = [0, 21, 43, 64];
    const THREE: [i32; 8] = [0, 9, 18, 27, 37, 46, 55, 64];
    const FOUR: [i32; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    let table: &[i32] = match bits {
        2 => &TWO,
        3 => &THREE,
        _ => &FOUR,
    };
    table[index as usize]
}

/// Interpolates between two endpoints.
fn between([a, b]: [i32; 2], weight: i32) -> i32 {
    ((64 - weight) * a + weight * b + 32) >> 6
}

/// Returns the index of a texel; the indices of all texels follow one another.
fn index(bits: &mut Bits, division: Division, width: u32, texel: u32) -> u32 {
    let mut found = 0;
    for n in 0..16 {
        let index = bits.take(width - u32::from(division.is_anchor(n)));
        if n == texel {
            found = index;
        }
    }
    found
}

/// One of the modes of BC7.
struct Mode {
    subsets: u32,
    /// Bits of the fields: partition, rotation, and the selector of alpha's indices.
    partition: u32,
    rotation: u32,
    selection: u32,
    /// Bits of an endpoint's color and alpha.
    color: u32,
    alpha: u32,
    /// Whether each endpoint has an extra low bit, or each subset one for both of its endpoints.
    own: bool,
    shared: bool,
    /// Bits of an index of the first and the second set.
    index: u32,
    second: u32,
}

impl Mode {
    /// Returns a mode by its row of the specification's table.
    const fn new(row: [u32; 10]) -> Mode {
        let [
            subsets,
            partition,
            rotation,
            selection,
            color,
            alpha,
            own,
            shared,
            index,
            second,
        ] = row;
        Mode {
            subsets,
            partition,
            rotation,
            selection,
            color,
            alpha,
            own: own != 0,
            shared: shared != 0,
            index,
            second,
        }
    }
}

const MODES: [Mode; 8] = [
    Mode::new([3, 4, 0, 0, 4, 0, 1, 0, 3, 0]),
    Mode::new([2, 6, 0, 0, 6, 0, 0, 1, 3, 0]),
    Mode::new([3, 6, 0, 0, 5, 0, 0, 0, 2, 0]),
    Mode::new([2, 6, 0, 0, 7, 0, 1, 0, 2, 0]),
    Mode::new([1, 0, 2, 1, 5, 6, 0, 0, 2, 3]),
    Mode::new([1, 0, 2, 0, 7, 8, 0, 0, 2, 2]),
    Mode::new([1, 0, 0, 0, 7, 7, 1, 0, 4, 0]),
    Mode::new([2, 6, 0, 0, 5, 5, 1, 0, 2, 0]),
];

/// Returns the endpoints of a subset in 8 bits: red, green, blue and alpha.
fn endpoints(bits: &mut Bits, mode: &Mode, subset: u32) -> [[i32; 2]; 4] {
    let mut raw = [[0; 6]; 4];
    for (n, raw) in raw.iter_mut().enumerate() {
        let width = if n == 3 { mode.alpha } else { mode.color };
        for end in &mut raw[..2 * mode.subsets as usize] {
            *end = bits.take(width);
        }
    }
    let mut last = [0; 6];
    for n in 0..2 * mode.subsets as usize {
        last[n] = match (mode.own, mode.shared, n % 2) {
            (true, ..) | (_, true, 0) => bits.take(1),
            (_, true, _) => last[n - 1],
            _ => 0,
        };
    }
    let more = u32::from(mode.own || mode.shared);
    let first = 2 * subset as usize;
    std::array::from_fn(|n| {
        let width = more + if n == 3 { mode.alpha } else { mode.color };
        [first, first + 1].map(|end| {
            let wide = (raw[n][end] << more | last[end]) << (8 - width);
            // The upper bits are repeated below.
            (wide | wide >> width) as i32
        })
    })
}

/// Returns the components of a texel of BC7; 0 for the reserved mode.
pub(super) fn bytes(block: u128, texel: u32) -> [u8; 4] {
    let Some(mode) = MODES.get(block.trailing_zeros() as usize) else {
        return [0; 4];
    };
    let bits = &mut Bits { rest: block };
    bits.take(block.trailing_zeros() + 1);
    let division = Division {
        partition: bits.take(mode.partition) as usize,
        subsets: mode.subsets,
    };
    let (rotation, selection) = (bits.take(mode.rotation), bits.take(mode.selection));
    let ends = endpoints(bits, mode, division.subset(texel));
    let first = weight(index(bits, division, mode.index, texel), mode.index);
    let second = match mode.second {
        0 => first,
        width => weight(index(bits, division, width, texel), width),
    };
    let (color, alpha) = match selection {
        0 => (first, second),
        _ => (second, first),
    };
    let [x, y, z] = [0, 1, 2].map(|n| between(ends[n], color) as u8);
    let mut found = [x, y, z, 255];
    if mode.alpha != 0 {
        found[3] = between(ends[3], alpha) as u8;
    }
    // The rotation swaps alpha with red, green or blue.
    match rotation {
        0 => {}
        n => found.swap(3, n as usize - 1),
    }
    found
}

/// A mode of BC6: the bits of its number; whether it has two subsets; whether the endpoints after the first are differences; the
/// bits of the first endpoint, and of the others for red, green and blue.
struct Wide {
    number: u32,
    two: bool,
    differs: bool,
    bits: u32,
    others: [u32; 3],
    /// The order of the endpoints' bits: color (r, g, b), endpoint (0 to 3), from the last of these bits to the first, so that
    /// `r0 9:0` begins with bit 0, and `r0 10:11` with bit 11.
    layout: &'static str,
}

const WIDE: [Wide; 14] = [
    Wide {
        number: 0,
        two: true,
        differs: true,
        bits: 10,
        others: [5, 5, 5],
        layout: "g2 4:4 b2 4:4 b3 4:4 r0 9:0 g0 9:0 b0 9:0 r1 4:0 g3 4:4 g2 3:0 g1 4:0 b3 0:0 g3 3:0 b1 4:0 b3 1:1 b2 3:0 \
            r2 4:0 b3 2:2 r3 4:0 b3 3:3",
    },
    Wide {
        number: 1,
        two: true,
        differs: true,
        bits: 7,
        others: [6, 6, 6],
        layout: "g2 5:5 g3 5:4 r0 6:0 b3 1:0 b2 4:4 g0 6:0 b2 5:5 b3 2:2 g2 4:4 b0 6:0 b3 3:3 b3 5:5 b3 4:4 r1 5:0 g2 3:0 \
            g1 5:0 g3 3:0 b1 5:0 b2 3:0 r2 5:0 r3 5:0",
    },
    Wide {
        number: 2,
        two: true,
        differs: true,
        bits: 11,
        others: [5, 4, 4],
        layout: "r0 9:0 g0 9:0 b0 9:0 r1 4:0 r0 10:10 g2 3:0 g1 3:0 g0 10:10 b3 0:0 g3 3:0 b1 3:0 b0 10:10 b3 1:1 b2 3:0 \
            r2 4:0 b3 2:2 r3 4:0 b3 3:3",
    },
    Wide {
        number: 6,
        two: true,
        differs: true,
        bits: 11,
        others: [4, 5, 4],
        layout: "r0 9:0 g0 9:0 b0 9:0 r1 3:0 r0 10:10 g3 4:4 g2 3:0 g1 4:0 g0 10:10 g3 3:0 b1 3:0 b0 10:10 b3 1:1 b2 3:0 \
            r2 3:0 b3 0:0 b3 2:2 r3 3:0 g2 4:4 b3 3:3",
    },
    Wide {
        number: 10,
        two: true,
        differs: true,
        bits: 11,
        others: [4, 4, 5],
        layout: "r0 9:0 g0 9:0 b0 9:0 r1 3:0 r0 10:10 b2 4:4 g2 3:0 g1 3:0 g0 10:10 b3 0:0 g3 3:0 b1 4:0 b0 10:10 b2 3:0 \
            r2 3:0 b3 2:1 r3 3:0 b3 4:4 b3 3:3",
    },
    Wide {
        number: 14,
        two: true,
        differs: true,
        bits: 9,
        others: [5, 5, 5],
        layout: "r0 8:0 b2 4:4 g0 8:0 g2 4:4 b0 8:0 b3 4:4 r1 4:0 g3 4:4 g2 3:0 g1 4:0 b3 0:0 g3 3:0 b1 4:0 b3 1:1 b2 3:0 \
            r2 4:0 b3 2:2 r3 4:0 b3 3:3",
    },
    Wide {
        number: 18,
        two: true,
        differs: true,
        bits: 8,
        others: [6, 5, 5],
        layout: "r0 7:0 g3 4:4 b2 4:4 g0 7:0 b3 2:2 g2 4:4 b0 7:0 b3 4:3 r1 5:0 g2 3:0 g1 4:0 b3 0:0 g3 3:0 b1 4:0 b3 1:1 \
            b2 3:0 r2 5:0 r3 5:0",
    },
    Wide {
        number: 22,
        two: true,
        differs: true,
        bits: 8,
        others: [5, 6, 5],
        layout: "r0 7:0 b3 0:0 b2 4:4 g0 7:0 g2 5:5 g2 4:4 b0 7:0 g3 5:5 b3 4:4 r1 4:0 g3 4:4 g2 3:0 g1 5:0 g3 3:0 b1 4:0 \
            b3 1:1 b2 3:0 r2 4:0 b3 2:2 r3 4:0 b3 3:3",
    },
    Wide {
        number: 26,
        two: true,
        differs: true,
        bits: 8,
        others: [5, 5, 6],
        layout: "r0 7:0 b3 1:1 b2 4:4 g0 7:0 b2 5:5 g2 4:4 b0 7:0 b3 5:5 b3 4:4 r1 4:0 g3 4:4 g2 3:0 g1 4:0 b3 0:0 g3 3:0 \
            b1 5:0 b2 3:0 r2 4:0 b3 2:2 r3 4:0 b3 3:3",
    },
    Wide {
        number: 30,
        two: true,
        differs: false,
        bits: 6,
        others: [6, 6, 6],
        layout: "r0 5:0 g3 4:4 b3 1:0 b2 4:4 g0 5:0 g2 5:5 b2 5:5 b3 2:2 g2 4:4 b0 5:0 g3 5:5 b3 3:3 b3 5:5 b3 4:4 r1 5:0 \
            g2 3:0 g1 5:0 g3 3:0 b1 5:0 b2 3:0 r2 5:0 r3 5:0",
    },
    Wide {
        number: 3,
        two: false,
        differs: false,
        bits: 10,
        others: [10, 10, 10],
        layout: "r0 9:0 g0 9:0 b0 9:0 r1 9:0 g1 9:0 b1 9:0",
    },
    Wide {
        number: 7,
        two: false,
        differs: true,
        bits: 11,
        others: [9, 9, 9],
        layout: "r0 9:0 g0 9:0 b0 9:0 r1 8:0 r0 10:10 g1 8:0 g0 10:10 b1 8:0 b0 10:10",
    },
    Wide {
        number: 11,
        two: false,
        differs: true,
        bits: 12,
        others: [8, 8, 8],
        layout: "r0 9:0 g0 9:0 b0 9:0 r1 7:0 r0 10:11 g1 7:0 g0 10:11 b1 7:0 b0 10:11",
    },
    Wide {
        number: 15,
        two: false,
        differs: true,
        bits: 16,
        others: [4, 4, 4],
        layout: "r0 9:0 g0 9:0 b0 9:0 r1 3:0 r0 10:15 g1 3:0 g0 10:15 b1 3:0 b0 10:15",
    },
];

/// Returns the low bits of a value, sign-extended from `width` bits.
fn signed(value: i32, width: u32) -> i32 {
    value << (32 - width) >> (32 - width)
}

impl Wide {
    /// Returns the mode of a block, and the bits after its number; `None` for the four reserved modes.
    fn of(block: u128) -> Option<(&'static Wide, Bits)> {
        let width = if block & 2 == 0 { 2 } else { 5 };
        let mut bits = Bits { rest: block };
        let number = bits.take(width);
        let mode = WIDE.iter().find(|mode| mode.number == number)?;
        Some((mode, bits))
    }

    /// Returns the endpoints of red, green and blue as encoded.
    fn raw(&self, bits: &mut Bits) -> [[i32; 4]; 3] {
        let mut raw = [[0; 4]; 3];
        let mut words = self.layout.split_ascii_whitespace();
        while let (Some(name), Some(range)) = (words.next(), words.next()) {
            let color = ["r", "g", "b"].iter().position(|c| name.starts_with(c));
            let end = name.as_bytes()[1] - b'0';
            let to = &mut raw[color.unwrap_or(0)][usize::from(end)];
            let (last, first) = range.split_once(':').unwrap_or((range, range));
            let [last, first] = [last, first].map(|n| n.parse::<u32>().unwrap_or(0));
            for n in 0..=last.abs_diff(first) {
                let at = if first <= last { first + n } else { first - n };
                *to |= (bits.take(1) as i32) << at;
            }
        }
        raw
    }

    /// Returns the endpoints as numbers of [`bits`](Self::bits) bits.
    fn endpoints(&self, bits: &mut Bits, with_sign: bool) -> [[i32; 4]; 3] {
        let mut ends = self.raw(bits);
        for (ends, width) in ends.iter_mut().zip(self.others) {
            let first = ends[0];
            for end in &mut ends[1..] {
                if self.differs {
                    *end = first.wrapping_add(signed(*end, width)) & ((1 << self.bits) - 1);
                }
            }
            if with_sign {
                *ends = ends.map(|end| signed(end, self.bits));
            }
        }
        ends
    }

    /// Returns an endpoint scaled to 16 bits, or to 15 bits and a sign.
    fn spread(&self, end: i32, with_sign: bool) -> i32 {
        let bits = self.bits;
        if with_sign {
            let most = (1 << (bits - 1)) - 1;
            let wide = match end.abs() {
                _ if bits >= 16 => return end,
                0 => 0,
                far if far >= most => 0x7fff,
                far => ((far << 15) + 0x4000) >> (bits - 1),
            };
            return if end < 0 { -wide } else { wide };
        }
        match end {
            _ if bits >= 15 => end,
            0 => 0,
            _ if end == (1 << bits) - 1 => 0xffff,
            _ => ((end << 16) + 0x8000) >> bits,
        }
    }
}

/// Returns the halves of a texel of BC6; 0 for reserved modes.
pub(super) fn halves(block: u128, texel: u32, with_sign: bool) -> [u16; 3] {
    let Some((mode, mut bits)) = Wide::of(block) else {
        return [0; 3];
    };
    let ends = mode.endpoints(&mut bits, with_sign);
    let division = if mode.two {
        Division {
            subsets: 2,
            partition: bits.take(5) as usize,
        }
    } else {
        Division {
            subsets: 1,
            partition: 0,
        }
    };
    let width = if mode.two { 3 } else { 4 };
    let weight = weight(index(&mut bits, division, width, texel), width);
    let first = 2 * division.subset(texel) as usize;
    ends.map(|ends| {
        let ends = [first, first + 1].map(|n| mode.spread(ends[n], with_sign));
        let found = between(ends, weight);
        // 31/64 or 31/32, so that the greatest is the greatest finite half.
        match with_sign {
            false => ((found * 31) >> 6) as u16,
            true if found < 0 => 0x8000 | ((-found * 31) >> 5) as u16,
            true => ((found * 31) >> 5) as u16,
        }
    })
}
