//! Roots of double precision, and their reciprocals, at every level: the bits
//! of the host's own instructions, where rounding is hardest, too.

use wavetank_ir::{Elem, Fp, LANES, Un};
use wavetank_lane_ops::Simd;

use super::levels::{Choice, Use, run};
use super::samples::Random;

/// An odd number whose square is `d`, which is 1 modulo 8, but for multiples of 2^60.
fn root_modulo(d: i64) -> u64 {
    (3..60).fold(1, |m: u64, bit| {
        let off = m.wrapping_mul(m).wrapping_sub(d as u64) >> bit & 1;
        m + (off << (bit - 1))
    })
}

/// Numbers with a root so near to the middle of two numbers that its square is off by `d` only, in units of 2^-106.
fn hard(d: i64) -> impl Iterator<Item = u64> {
    let root = root_modulo(d);
    let all = [54, 55].into_iter().flat_map(move |bits| {
        let half = 1 << (bits - 1);
        [0, half].into_iter().flat_map(move |more| {
            [root, root.wrapping_neg()].map(|r| r.wrapping_add(more) & (2 * half - 1))
        })
    });
    all.filter(|m| (1 << 53..1 << 54).contains(m))
        .filter_map(move |m| {
            let square = (i128::from(m) * i128::from(m) - i128::from(d)) as u128;
            let x = square as f64 / 2f64.powi(106);
            ((x * 2f64.powi(106)) as u128 == square).then_some(x.to_bits())
        })
}

/// All lanes at every level of this processor against the host's root and quotient.
fn check(x: [u64; LANES]) {
    let how = Use {
        fp: Fp::default(),
        uniform: 0,
        mods: 0,
        mask: u64::MAX,
    };
    for simd in [Simd::Avx512, Simd::Avx2, Simd::Baseline] {
        if simd.or_best() != simd {
            continue;
        }
        let all = |op| run(simd, Choice::Un(op, Elem::F64), how, &[x]);
        let (roots, reciprocals) = (all(Un::FSqrt), all(Un::FRsq));
        for i in 0..LANES {
            let root = f64::from_bits(x[i]).sqrt();
            assert_eq!(roots[i], root.to_bits(), "{simd:?}: root of {:x}", x[i]);
            let reciprocal = (1.0 / root).to_bits();
            assert_eq!(
                reciprocals[i], reciprocal,
                "{simd:?}: 1 / root of {:x}",
                x[i]
            );
        }
    }
}

#[test]
fn roots_all_but_half_way_are_rounded_right() {
    let all: Vec<u64> = (-300..300).flat_map(|n| hard(8 * n + 1)).collect();
    assert!(all.len() > 1000, "only {} hard numbers", all.len());
    for lanes in all.chunks(LANES) {
        for power in [-300, 0, 400] {
            let lane = |i: usize| lanes[i % lanes.len()].wrapping_add_signed(power << 53);
            check(std::array::from_fn(lane));
        }
    }
}

#[test]
fn roots_have_the_bits_of_the_host() {
    let mut random = Random(31);
    let normal = |random: &mut Random| (1 + random.below(2046)) << 52;
    for round in 0..600 {
        check(std::array::from_fn(|_| match round % 4 {
            // Of any magnitude; of middling ones, all of which are refined.
            0 => normal(&mut random) | random.next() >> 12,
            1 => (900 + random.below(200)) << 52 | random.next() >> 12,
            // Next to powers of 2.
            2 => ((1000 + random.below(40)) << 52) + random.below(64) - 32,
            // Next to squares.
            _ => {
                let root = f64::from_bits(1023 << 52 | random.next() >> 12);
                (root * root).to_bits() + random.below(3) - 1
            }
        }));
    }
}
