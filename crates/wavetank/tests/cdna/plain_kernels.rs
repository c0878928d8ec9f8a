//! Kernels without matrices: accumulation registers as a place to spill, dot products, packed single precision, scratch.

use super::{each, same_floats};
use crate::common::Numbers;

#[test]
fn registers_spilled_to_accumulation_registers() {
    each("agpr_spill", |b| {
        let n = 288;
        let input = Numbers::new(130).many(64 * n, |r| (r.u32() % 100_000) as i32);
        let floats: Vec<f32> = input.iter().map(|v| *v as f32).collect();
        let values = b.device.buffer_from(&floats).unwrap();
        let out = b.device.buffer_zeroed(4 * 64 * n as u64).unwrap();
        // All groups write the same, on several threads.
        b.run("agpr_spill", 64 * 6, 64, args![&values, &out]);
        let element = |lane: usize, i: usize| (input[lane * n + i] * 3 + i as i32) as f32;
        let wanted: Vec<f32> = (0..64 * n)
            .map(|at| element(at / n, at % n * 7 % n))
            .collect();
        assert_eq!(out.read::<f32>().unwrap(), wanted, "{}", b.label);
    });
}

/// The fields of a word, with sign.
fn fields(word: u32, bits: u32) -> impl Iterator<Item = i64> {
    let of = move |n: u32| i64::from((word << (32 - bits - n * bits)) as i32 >> (32 - bits));
    (0..32 / bits).map(of)
}

fn signed_dot(a: u32, b: u32, bits: u32) -> i64 {
    fields(a, bits)
        .zip(fields(b, bits))
        .map(|(a, b)| a * b)
        .sum()
}

#[test]
fn dot_products() {
    each("dots", |b| {
        let n = 192;
        let mut r = Numbers::new(131);
        // Halves of a few bits, whose sums are exact in any order, and as integers large and small of both signs.
        let half = |r: &mut Numbers| {
            let number = (r.u32() % 65) as f32 - 32.0;
            u32::from(half::f16::from_f32(number * 0.25).to_bits())
        };
        for is_half in [true, false] {
            let word = |r: &mut Numbers| {
                if is_half {
                    half(r) | half(r) << 16
                } else {
                    // Bytes that are large often: sums that saturate.
                    r.u32() | r.u32() & 0x8080_8080
                }
            };
            let x = r.many(n, word);
            let y = r.many(n, word);
            let start: Vec<u32> = (0..n * 8)
                .map(|at| match at % 8 {
                    4 => ((r.u32() % 1000) as f32 * 0.5).to_bits(),
                    // Near the limits, in turn.
                    _ => [0x7fff_ff00, 0x8000_0040, 0xffff_f000, r.u32()][at / 8 % 4],
                })
                .collect();
            let [left, right] = [&x, &y].map(|v| b.device.buffer_from(v).unwrap());
            let out = b.device.buffer_from(&start).unwrap();
            b.run("dots", n as u32, 64, args![&left, &right, &out]);
            let got = out.read::<u32>().unwrap();
            for i in 0..n {
                let (a, c, old) = (x[i], y[i], &start[8 * i..][..8]);
                let signed = |n: usize| i64::from(old[n] as i32);
                let bytes = a.to_le_bytes().into_iter().zip(c.to_le_bytes());
                let unsigned: u64 = bytes.map(|(a, b)| u64::from(a) * u64::from(b)).sum();
                let saturated =
                    (signed(2) + signed_dot(a, c, 4)).clamp(i32::MIN.into(), i32::MAX.into());
                let mut wanted = old.to_vec();
                wanted[0] = (signed(0) + signed_dot(a, c, 8)) as u32;
                wanted[1] = u32::try_from(unsigned + u64::from(old[1])).unwrap_or(u32::MAX);
                wanted[2] = saturated as u32;
                wanted[3] = (signed(3) + signed_dot(a, c, 16)) as u32;
                wanted[4] = if is_half {
                    let of = |v: u32| f32::from(half::f16::from_bits(v as u16));
                    let products = of(a) * of(c) + of(a >> 16) * of(c >> 16);
                    (products + f32::from_bits(old[4])).to_bits()
                } else {
                    // The order of the sum is not published.
                    got[8 * i + 4]
                };
                assert_eq!(got[8 * i..][..8], wanted, "{}: item {i}", b.label);
            }
        }
    });
}

#[test]
fn pairs_of_singles() {
    each("pk_f32", |b| {
        for (low, high) in [(120, 135), (0, 100), (60, 200)] {
            let n = 192;
            let mut r = Numbers::new(132);
            let single = |r: &mut Numbers| {
                f32::from_bits(r.u32() & 0x807f_ffff | (low + r.u32() % (high - low)) << 23)
            };
            let x = r.many(n, |r| [single(r), single(r)]);
            let y = r.many(n, |r| [single(r), single(r)]);
            let [left, right] = [&x, &y].map(|v| b.device.buffer_from(v).unwrap());
            let out = b.device.buffer_zeroed(16 * n as u64).unwrap();
            b.run("pk_f32", n as u32, 64, args![&left, &right, &out]);
            let wanted: Vec<f32> = x
                .iter()
                .zip(&y)
                .flat_map(|([a, b], [c, d])| {
                    let z = [a * c + d, b * d + c];
                    // The last statement is one expression, and contracted; the two before are not.
                    let z = [-a.mul_add(z[0], *c), a.mul_add(z[1], *d)];
                    [z[0], z[1], b + 1.0, c + 1.0]
                })
                .collect();
            same_floats(b, "pairs", &out.read::<f32>().unwrap(), &wanted);
        }
    });
}

#[test]
fn arrays_in_scratch() {
    each("scratch_stack", |b| {
        let n = 192usize;
        let input = Numbers::new(133).many(n, |r| r.u32() as i32);
        let values = b.device.buffer_from(&input).unwrap();
        let out = b.device.buffer_zeroed(4 * n as u64).unwrap();
        b.run("scratch_stack", n as u32, 64, args![&values, &out]);
        let sum = |i: usize| {
            let element = |k: usize| input[i].wrapping_add(((i * 5 + k) % 64) as i32);
            (0..8).map(element).fold(0i32, i32::wrapping_add)
        };
        let wanted: Vec<i32> = (0..n).map(sum).collect();
        assert_eq!(out.read::<i32>().unwrap(), wanted, "{}", b.label);
    });
}
