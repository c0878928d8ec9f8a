//! Products that gfx942 alone has: of floats of 8 bits, of xf32, and of sparse matrices.

use wavetank::Chip;

use super::layout::{Shape, records};
use super::reference::{Kind, dot};
use super::{each, same_floats};
use crate::common::{Build, Numbers};

const WIDE: Shape = Shape {
    m: 16,
    n: 16,
    k: 32,
    blocks: 1,
};

const XF32: Shape = Shape { k: 8, ..WIDE };

/// A of sparse products: half of the elements of each row are stored.
const STORED: Shape = Shape { k: 16, ..WIDE };

/// Runs the kernel: 8 bytes of A and 16 of B in each lane, but that all products but the sparse ones take the first half of B.
fn run(b: &Build, left: &[u8], right: &[u8], index: &[u32]) -> Vec<f32> {
    let [x, y] = [left, right].map(|v| b.device.buffer_from(v).unwrap());
    let index = b.device.buffer_from(index).unwrap();
    let out = b.device.buffer_zeroed(4 * 64 * 20).unwrap();
    b.run("mfma_gfx942", 64, 64, args![&x, &y, &index, &out]);
    out.read::<f32>().unwrap()
}

/// One of the five results, which have four registers each.
fn result(all: &[f32], n: usize) -> Vec<f32> {
    all.chunks(20)
        .flat_map(|lane| lane[4 * n..][..4].to_vec())
        .collect()
}

/// The product by the model, of elements that `at` reads from lane and element.
fn wanted(
    shape: Shape,
    kinds: [Kind; 2],
    a: impl Fn((usize, usize)) -> u32,
    b: impl Fn((usize, usize)) -> u32,
) -> Vec<f32> {
    shape.registers_of_d(|_, i, j| {
        let pair = |k| [a(shape.a(0, i, k)), b(shape.b(0, k, j))];
        let pairs: Vec<_> = (0..shape.k).map(pair).collect();
        dot(Chip::Gfx942, kinds, 2, 0.0, &pairs)
    })
}

#[test]
fn floats_of_8_bits() {
    each("mfma_gfx942", |b| {
        // All numbers but the NaN, those of a few sizes, and those with NaNs.
        for (seed, mask) in [(0, 0xff), (1, 0x9f), (2, 0xff)] {
            let mut r = Numbers::new(110 + seed);
            let number = |r: &mut Numbers| match (r.u32() & mask) as u8 {
                0x80 if seed != 2 => 0x7f,
                code => code,
            };
            let left = r.many(64 * 8, number);
            let right = r.many(64 * 16, number);
            let all = run(b, &left, &right, &[0; 64]);
            let of = |v: &[u8], (lane, element): (usize, usize)| u32::from(v[lane * 8 + element]);
            let by_kinds = |kinds| wanted(WIDE, kinds, |p| of(&left, p), |p| of(&right, p));
            let nan_aware = |what: &str, n: usize, kinds| {
                same_floats(b, what, &result(&all, n), &by_kinds(kinds));
            };
            nan_aware("fp8", 0, [Kind::Fp8, Kind::Fp8]);
            nan_aware("bf8 and fp8", 1, [Kind::Bf8, Kind::Fp8]);
        }
    });
}

#[test]
fn cut_singles() {
    each("mfma_gfx942", |b| {
        for (low, high) in [(125, 130), (90, 160), (1, 70), (0, 1)] {
            let mut r = Numbers::new(113);
            let single =
                |r: &mut Numbers| r.u32() & 0x807f_ffff | (low + r.u32() % (high - low)) << 23;
            let left = r.many(64 * 2, single);
            // Not all small ones, lest every product vanish.
            let right = r.many(64 * 4, |r| {
                single(r) & 0x807f_ffff | (100 + r.u32() % 40) << 23
            });
            let bytes = |v: &[u32]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
            let all = run(b, &bytes(&left), &bytes(&right), &[0; 64]);
            let of = |v: &[u32], (lane, element): (usize, usize)| v[lane * 2 + element];
            let wanted = wanted(XF32, [Kind::Xf32; 2], |p| of(&left, p), |p| of(&right, p));
            same_floats(b, "xf32", &result(&all, 2), &wanted);
        }
    });
}

/// A stored pair of elements stands for four, of which the index names two. How sparse sums of fractions are rounded is not
/// published: whole numbers are exact.
#[test]
fn sparse_halves() {
    each("mfma_gfx942", |b| {
        let mut r = Numbers::new(114);
        let small = |r: &mut Numbers| (r.u32() % 33) as i32 - 16;
        let left = r.many(64 * 4, small);
        let right = r.many(64 * 8, small);
        // In each four bits: two different places, in order.
        let places = [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110];
        let index = r.many(64, |r| {
            (0..8).fold(0, |all, _| all << 4 | places[r.u32() as usize % 6])
        });
        let bytes = |v: &[i32]| -> Vec<u8> {
            let half = |v: &i32| half::f16::from_f32(*v as f32).to_bits().to_le_bytes();
            v.iter().flat_map(half).collect()
        };
        let all = run(b, &bytes(&left), &bytes(&right), &index);
        let wanted = |set: usize, c: i32| {
            STORED.registers_of_d(|_, i, j| {
                let stored = |s: usize| {
                    let (lane, element) = STORED.a(0, i, s);
                    let place = index[lane] >> (8 * set + 2 * element) & 3;
                    let (of_b, k) = WIDE.b(0, s / 2 * 4 + place as usize, j);
                    left[lane * 4 + element] * right[of_b * 8 + k]
                };
                ((0..16).map(stored).sum::<i32>() + c) as f32
            })
        };
        assert_eq!(
            records(&[&result(&all, 3), &result(&all, 4)]),
            records(&[&wanted(0, 1), &wanted(1, 0)]),
            "{}",
            b.label
        );
    });
}
