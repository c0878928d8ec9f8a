//! Operands: the values at which formats change their ways, and random ones.

use wavetank_ir::{Elem, Fp, Round};

/// A splitmix64 generator: the same numbers in every run.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Bits of an element: any positive normal number, if it is a float, for
    /// what is done in another way when all lanes have such.
    pub(crate) fn usual(&mut self, elem: Elem) -> u64 {
        let bits = self.next() & ones(width(elem));
        if !elem.is_float() {
            return bits;
        }
        let (fraction, bias) = layout(elem);
        (1 + self.below(2 * bias)) << fraction | bits & ones(fraction)
    }

    /// Bits of an element: anything, a special value, or a number of middling
    /// exponent, so that sums cancel and products stay in range.
    pub(crate) fn value(&mut self, elem: Elem) -> u64 {
        if let Some(half) = elem.half() {
            return self.value(half) | self.value(half) << 16;
        }
        let bits = self.next() & ones(width(elem));
        match self.below(4) {
            0 => bits,
            1 => {
                let special = specials(elem);
                special[self.below(special.len() as u64) as usize]
            }
            _ if elem.is_float() => {
                let (fraction, bias) = layout(elem);
                let exponent = bias - 3 + self.below(6);
                let sign = bits & 1 << (width(elem) - 1);
                sign | exponent << fraction | bits & ones(fraction)
            }
            _ => bits >> self.below(u64::from(width(elem))),
        }
    }
}

pub(crate) fn width(elem: Elem) -> u32 {
    match elem {
        Elem::I16 | Elem::F16 => 16,
        Elem::I32 | Elem::F32 | Elem::I16x2 | Elem::F16x2 => 32,
        Elem::I64 | Elem::F64 => 64,
    }
}

pub(crate) fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Fraction bits and exponent bias of a float.
pub(crate) fn layout(elem: Elem) -> (u32, u64) {
    match elem {
        Elem::F16 => (10, 15),
        Elem::F32 => (23, 127),
        _ => (52, 1023),
    }
}

/// Values at which something changes.
pub(crate) fn specials(elem: Elem) -> Vec<u64> {
    let width = width(elem);
    let sign = 1 << (width - 1);
    let positive = if elem.is_float() {
        let (fraction, bias) = layout(elem);
        let one = bias << fraction;
        let infinity = (2 * bias + 1) << fraction;
        let normal = 1 << fraction;
        vec![
            0,
            1,
            2,
            normal / 2,
            normal - 1,
            normal,
            normal + 1,
            2 * normal,
            one - normal - 1,
            one - normal,
            one - normal + 1,
            one - 1,
            one,
            one + 1,
            one + normal / 2,
            one + normal - 1,
            one + normal,
            one + normal + normal / 4,
            ((bias + u64::from(fraction)) << fraction) + 1,
            (bias + u64::from(fraction) + 1) << fraction,
            infinity - normal,
            infinity - 1,
            infinity,
            infinity + 1,
            infinity + normal / 2,
            infinity + normal / 2 + 5,
        ]
    } else {
        vec![
            0,
            1,
            2,
            3,
            7,
            15,
            16,
            31,
            32,
            0x55,
            0x80,
            0x1234,
            sign - 1,
            sign / 2,
            ones(width / 2),
        ]
    };
    positive.iter().flat_map(|&v| [v, v | sign]).collect()
}

/// Every rounding and flushing.
pub(crate) fn environments() -> Vec<Fp> {
    let mut all = Vec::new();
    for round in [Round::Nearest, Round::Up, Round::Down, Round::Zero] {
        for bits in 0..8 {
            all.push(Fp {
                round,
                flush_in: bits & 1 != 0,
                flush_out: bits & 2 != 0,
                ieee: bits & 4 != 0,
            });
        }
    }
    all
}
