//! Products of matrices: f32, f16, bf16, f64, i8.

use wavetank::Chip;

use super::layout::{Shape, records};
use super::reference::{Kind, dot};
use super::{each, same_floats};
use crate::common::{Build, Numbers};

/// A way to make inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Inputs {
    /// Whole numbers, of which all sums are exact in every model.
    Small,
    /// Fractions of all bits, of similar size.
    Near,
    /// Fractions of all bits, of sizes that are far apart.
    Far,
    /// Denormals, and numbers whose products are denormals.
    Tiny,
    /// Numbers whose products overflow.
    Huge,
}

const ALL: [Inputs; 5] = [
    Inputs::Small,
    Inputs::Near,
    Inputs::Far,
    Inputs::Tiny,
    Inputs::Huge,
];

/// Those whose results are finite.
const FINITE: [Inputs; 4] = [Inputs::Small, Inputs::Near, Inputs::Far, Inputs::Tiny];

impl Inputs {
    fn number(self, r: &mut Numbers) -> i32 {
        assert_eq!(self, Inputs::Small);
        (r.u32() % 17) as i32 - 8
    }

    /// The bits of a number of single precision.
    fn single(self, r: &mut Numbers) -> u32 {
        let of = |r: &mut Numbers, low: u32, high: u32| {
            r.u32() & 0x807f_ffff | (low + r.u32() % (high - low)) << 23
        };
        match self {
            Inputs::Small => (self.number(r) as f32).to_bits(),
            Inputs::Near => of(r, 125, 130),
            Inputs::Far => of(r, 100, 150),
            Inputs::Tiny => match r.u32() % 4 {
                0 => r.u32() & 0x807f_ffff,
                1 => of(r, 1, 30),
                2 => of(r, 45, 80),
                _ => of(r, 120, 130),
            },
            Inputs::Huge => of(r, 185, 195),
        }
    }

    /// The bits of a number of half precision, without infinities.
    fn half(self, r: &mut Numbers) -> u32 {
        let of = |r: &mut Numbers, low: u32, high: u32| {
            r.u32() & 0x83ff | (low + r.u32() % (high - low)) << 10
        };
        match self {
            Inputs::Small => half::f16::from_f32(self.number(r) as f32).to_bits().into(),
            Inputs::Near => of(r, 13, 18),
            Inputs::Far => of(r, 1, 31),
            Inputs::Tiny => match r.u32() % 3 {
                0 => of(r, 14, 17),
                _ => of(r, 0, 2),
            },
            Inputs::Huge => of(r, 29, 31),
        }
    }

    /// The bits of a bfloat16: single precision, cut.
    fn brain(self, r: &mut Numbers) -> u32 {
        self.single(r) >> 16
    }
}

#[test]
fn singles_in_a_loop() {
    each("mfma_f32_gemm", |b| {
        let k = 12;
        for inputs in ALL {
            let mut r = Numbers::new(100);
            let a = r.many(16 * k, |r| inputs.single(r));
            let c = r.many(16 * k, |r| inputs.single(r));
            let [left, right] = [&a, &c].map(|bits| b.device.buffer_from(bits).unwrap());
            let out = b.device.buffer_zeroed(4 * 256).unwrap();
            b.run(
                "mfma_f32_gemm",
                64,
                64,
                args![&left, &right, &out, k as i32],
            );
            let wanted: Vec<f32> = (0..256)
                .map(|n| {
                    let (i, j) = (n / 16, n % 16);
                    (0..k).fold(0.0f32, |sum, k_| {
                        let [x, y] = [a[i * k + k_], c[k_ * 16 + j]].map(f32::from_bits);
                        x.mul_add(y, sum)
                    })
                })
                .collect();
            let got = out.read::<f32>().unwrap();
            same_floats(b, &format!("{inputs:?}"), &got, &wanted);
            if inputs == Inputs::Small {
                let integers = integers(&a, &c, k, 16, |bits| f32::from_bits(bits) as i32);
                assert_eq!(got, integers, "{}", b.label);
            }
        }
    });
}

/// The product of matrices of whole numbers, `size` rows and columns.
fn integers(a: &[u32], b: &[u32], k: usize, size: usize, of: impl Fn(u32) -> i32) -> Vec<f32> {
    let element = |n: usize| -> i32 {
        let (i, j) = (n / size, n % size);
        (0..k)
            .map(|k_| of(a[i * k + k_]) * of(b[k_ * size + j]))
            .sum()
    };
    (0..size * size).map(|n| element(n) as f32).collect()
}

#[test]
fn halves_in_a_loop() {
    each("mfma_f16_gemm", |b| {
        let (k, size) = (24, 32);
        let chip = b.device.chip();
        for inputs in ALL {
            let mut r = Numbers::new(101);
            let left = r.many(size * k, |r| inputs.half(r));
            let right = r.many(size * k, |r| inputs.half(r));
            let halves = |bits: &[u32]| bits.iter().map(|v| *v as u16).collect::<Vec<u16>>();
            let [a, c] = [&left, &right].map(|v| b.device.buffer_from(&halves(v)).unwrap());
            let out = b.device.buffer_zeroed(4 * 1024).unwrap();
            b.run("mfma_f16_gemm", 64, 64, args![&a, &c, &out, k as i32]);
            let wanted: Vec<f32> = (0..size * size)
                .map(|n| {
                    let (i, j) = (n / size, n % size);
                    let pair = |k_: usize| [left[i * k + k_], right[k_ * size + j]];
                    let pairs: Vec<_> = (0..k).map(pair).collect();
                    // Each instruction takes eight steps of k; groups do not reach across.
                    pairs
                        .chunks(8)
                        .fold(0.0, |sum, pairs| dot(chip, [Kind::F16; 2], 4, sum, pairs))
                })
                .collect();
            let got = out.read::<f32>().unwrap();
            same_floats(b, &format!("{inputs:?}"), &got, &wanted);
            if inputs == Inputs::Small {
                let of = |bits| half::f16::from_bits(bits as u16).to_f32() as i32;
                let integers = integers(&left, &right, k, size, of);
                assert_eq!(got, integers, "{}", b.label);
            }
        }
    });
}

#[test]
fn brain_floats() {
    each("mfma_bf16", |b| {
        let chip = b.device.chip();
        // gfx908: two elements a lane.
        let e = if chip == Chip::Gfx908 { 2 } else { 4 };
        let shape = Shape {
            m: 16,
            n: 16,
            k: 4 * e,
            blocks: 1,
        };
        for inputs in FINITE {
            let mut r = Numbers::new(102);
            let left = r.many(64 * e, |r| inputs.brain(r));
            let right = r.many(64 * e, |r| inputs.brain(r));
            let halves = |bits: &[u32]| bits.iter().map(|v| *v as u16).collect::<Vec<u16>>();
            let [x, y] = [&left, &right].map(|v| b.device.buffer_from(&halves(v)).unwrap());
            let out = b.device.buffer_zeroed(4 * 256).unwrap();
            b.run("mfma_bf16", 64, 64, args![&x, &y, &out]);
            let pairs = |i: usize, j: usize| -> Vec<[u32; 2]> {
                let at = |v: &[u32], (lane, element): (usize, usize)| v[lane * e + element];
                let pair = |k| [at(&left, shape.a(0, i, k)), at(&right, shape.b(0, k, j))];
                (0..shape.k).map(pair).collect()
            };
            let got = out.read::<f32>().unwrap();
            let wanted =
                shape.registers_of_d(|_, i, j| dot(chip, [Kind::Bf16; 2], e, 0.0, &pairs(i, j)));
            same_floats(b, &format!("{inputs:?}"), &got, &wanted);
            if inputs == Inputs::Small {
                let number = |bits: u32| f32::from_bits(bits << 16);
                let wanted = shape.registers_of_d(|_, i, j| -> f32 {
                    let pairs = pairs(i, j).into_iter();
                    pairs.map(|[a, b]| number(a) * number(b)).sum()
                });
                assert_eq!(got, wanted, "{}", b.label);
            }
        }
    });
}

/// A product of single precision with K = 1, where a lane has one element of each block.
fn outer(m: usize) -> Shape {
    Shape {
        m,
        n: m,
        k: 1,
        blocks: 64 / m,
    }
}

#[test]
fn singles_in_blocks() {
    each("mfma_f32_blocks", |b| {
        for inputs in ALL {
            let mut r = Numbers::new(103);
            let x = r.many(64, |r| f32::from_bits(inputs.single(r)));
            let y = r.many(64, |r| f32::from_bits(inputs.single(r)));
            let [left, right] = [&x, &y].map(|v| b.device.buffer_from(v).unwrap());
            let out = b.device.buffer_zeroed(4 * 64 * 52).unwrap();
            b.run("mfma_f32_blocks", 64, 64, args![&left, &right, &out]);
            let of = |m: usize, c: f32| {
                let shape = outer(m);
                let element = |block: usize, i: usize, j: usize| {
                    x[block * m + i].mul_add(y[block * m + j], c)
                };
                shape.registers_of_d(element)
            };
            let wanted = records(&[&of(4, 0.25), &of(16, 0.5), &of(32, 1.0)]);
            let got = out.read::<f32>().unwrap();
            same_floats(b, &format!("{inputs:?}"), &got, &wanted);
        }
    });
}

/// CBSZ, ABID and BLGP of each product in the source.
const BROADCASTS: [[usize; 3]; 15] = [
    [1, 0, 0],
    [1, 1, 0],
    [2, 0, 0],
    [2, 3, 0],
    [3, 5, 0],
    [4, 0, 0],
    [4, 15, 0],
    [0, 0, 1],
    [0, 0, 2],
    [0, 0, 3],
    [0, 0, 4],
    [0, 0, 5],
    [0, 0, 6],
    [0, 0, 7],
    [2, 1, 3],
];

#[test]
fn broadcasts() {
    each("mfma_broadcast", |b| {
        let mut r = Numbers::new(104);
        let x = r.many(64, |r| r.f32(-4.0, 4.0));
        let y = r.many(64, |r| r.f32(-4.0, 4.0));
        let [left, right] = [&x, &y].map(|v| b.device.buffer_from(v).unwrap());
        let out = b.device.buffer_zeroed(4 * 4 * 64 * 15).unwrap();
        b.run("mfma_broadcast", 64, 64, args![&left, &right, &out]);
        let wanted: Vec<f32> = BROADCASTS
            .into_iter()
            .flat_map(|[cbsz, abid, blgp]| {
                let source = |lane: usize| match blgp {
                    0 => lane,
                    1 => lane % 32,
                    2 => lane % 32 + 32,
                    3 => (lane + 16) % 64,
                    _ => lane % 16 + 16 * (blgp - 4),
                };
                outer(4).registers_of_d(|block, i, j| {
                    let of_a = (block & !((1 << cbsz) - 1)) + abid;
                    // A product alone, since C is 0.
                    x[of_a * 4 + i] * y[source(block * 4 + j)]
                })
            })
            .collect();
        same_floats(b, "products", &out.read::<f32>().unwrap(), &wanted);
    });
}

/// Doubles of a way to make inputs; as small as they get, for the denormals.
fn double(inputs: Inputs, r: &mut Numbers) -> f64 {
    let of = |r: &mut Numbers, low: u64, high: u64| {
        f64::from_bits(r.u64() & 0x800f_ffff_ffff_ffff | (low + r.u64() % (high - low)) << 52)
    };
    match inputs {
        Inputs::Small => inputs.number(r).into(),
        Inputs::Near => of(r, 1021, 1026),
        Inputs::Far => of(r, 923, 1123),
        Inputs::Tiny => match r.u32() % 3 {
            0 => of(r, 0, 1),
            1 => of(r, 400, 620),
            _ => of(r, 1020, 1025),
        },
        Inputs::Huge => of(r, 1530, 1540),
    }
}

#[test]
fn doubles() {
    each("mfma_f64", |b| {
        let is_negated = b.device.chip() == Chip::Gfx942;
        for inputs in ALL {
            let mut r = Numbers::new(105);
            let x = r.many(64, |r| double(inputs, r));
            let y = r.many(64, |r| double(inputs, r));
            let [left, right] = [&x, &y].map(|v| b.device.buffer_from(v).unwrap());
            let out = b.device.buffer_zeroed(8 * 64 * 6).unwrap();
            b.run("mfma_f64", 64, 64, args![&left, &right, &out]);
            let mut wanted = vec![0f64; 64 * 6];
            for i in 0..16 {
                for j in 0..16 {
                    let c = (i / 4 + 1) as f64;
                    let sum = (0..4).fold(c, |sum, k| x[k * 16 + i].mul_add(y[k * 16 + j], sum));
                    wanted[(16 * (i % 4) + j) * 6 + i / 4] = sum;
                }
            }
            for block in 0..4 {
                for i in 0..4 {
                    for j in 0..4 {
                        let sum = |sign: f64, c: f64| {
                            (0..4).fold(c, |sum, k| {
                                let first = k * 16 + block * 4;
                                (sign * x[first + i]).mul_add(y[first + j], sum)
                            })
                        };
                        let lane = 16 * i + 4 * block + j;
                        wanted[lane * 6 + 4] = sum(1.0, 0.5);
                        // BLGP is 5: A and C are negated.
                        wanted[lane * 6 + 5] = if is_negated { sum(-1.0, -0.5) } else { 0.0 };
                    }
                }
            }
            let got = out.read::<f64>().unwrap();
            for (n, (g, w)) in got.iter().zip(&wanted).enumerate() {
                let is_same = g.to_bits() == w.to_bits() || g.is_nan() && w.is_nan();
                assert!(
                    is_same,
                    "{}: {inputs:?}: element {n} is {g:e}, not {w:e}",
                    b.label
                );
            }
        }
    });
}

/// The sum of products of signed bytes, around 2^32, on to `c`.
fn bytes(c: i32, pairs: impl Iterator<Item = [u8; 2]>) -> i32 {
    pairs.fold(c, |sum, pair| {
        let [a, b] = pair.map(|byte| i32::from(byte as i8));
        sum.wrapping_add(a * b)
    })
}

#[test]
fn bytes_into_integers() {
    each("mfma_i8", |b: &Build| {
        let is_wide = b.device.chip() == Chip::Gfx942;
        // The large product has twice the elements on gfx942; the small one takes the first dwords of the same buffers.
        let e = if is_wide { 8 } else { 4 };
        for spread in [8, 256] {
            let mut r = Numbers::new(106);
            let byte = |r: &mut Numbers| (r.u32() % spread).wrapping_sub(spread / 2) as u8;
            let x = r.many(64 * 8, byte);
            let y = r.many(64 * 8, byte);
            let [left, right] = [&x, &y].map(|v| b.device.buffer_from(v).unwrap());
            let out = b.device.buffer_zeroed(4 * 64 * 8).unwrap();
            b.run("mfma_i8", 64, 64, args![&left, &right, &out]);
            let products = |shape: Shape, e: usize, c: &dyn Fn(usize) -> i32| {
                let at = |v: &[u8], (lane, element): (usize, usize)| v[lane * e + element];
                shape.registers_of_d(|block, i, j| {
                    let pair = |k| [at(&x, shape.a(block, i, k)), at(&y, shape.b(block, k, j))];
                    bytes(c(i), (0..shape.k).map(pair))
                })
            };
            let small = Shape {
                m: 4,
                n: 4,
                k: 4,
                blocks: 16,
            };
            let large = Shape {
                m: 16,
                n: 16,
                k: 4 * e,
                blocks: 1,
            };
            let wanted = records(&[
                &products(small, 4, &|i| i as i32 + 1),
                &products(large, e, &|_| 0),
            ]);
            assert_eq!(out.read::<i32>().unwrap(), wanted, "{}", b.label);
        }
    });
}
