//! The OpenCL kernels of whole numbers, every build, against Rust: bit for bit.

use crate::common::{Numbers, each};

#[test]
fn histogram() {
    each("histogram", |b| {
        let n = 10_007;
        let data = Numbers::new(1).many(n, |r| (r.u32() % 251) as u8);
        let mut wanted = vec![0u32; 256];
        data.iter().for_each(|v| wanted[usize::from(*v)] += 1);
        let input = b.device.buffer_from(&data).unwrap();
        let bins = b.device.buffer_zeroed(1024).unwrap();
        b.run("hist256", 512, 128, args![&input, &bins, n as u32]);
        assert_eq!(bins.read::<u32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn reductions() {
    each("reduce", |b| {
        // The bench file has a kernel file of the same name; these are the OpenCL ones.
        let n = 5000u32;
        let data = Numbers::new(2).many(n as usize, Numbers::u32);
        let input = b.device.buffer_from(&data).unwrap();
        let out = b.device.buffer_zeroed(4).unwrap();
        let lds = wavetank::Arg::Lds(256 * 4);
        let mut args = args![&input, &out, n];
        args.push(lds);
        b.run("reduce_sum", 1024, 256, args);
        let sum = data.iter().fold(0u32, |a, v| a.wrapping_add(*v));
        assert_eq!(out.read::<u32>().unwrap(), [sum], "{}", b.label);

        let data = Numbers::new(3).many(1000, Numbers::u64);
        let input = b.device.buffer_from(&data).unwrap();
        let out = b.device.buffer_zeroed(16).unwrap();
        b.run("reduce_minmax64", 1024, 128, args![&input, &out, 1000u32]);
        let most: Vec<u64> = data.chunks(128).map(|c| *c.iter().max().unwrap()).collect();
        let sum = most.iter().fold(0u64, |a, v| a.wrapping_add(*v));
        let low = most.iter().map(|v| *v as u32).max().unwrap();
        assert_eq!(out.read::<u64>().unwrap(), [sum, low.into()], "{}", b.label);
    });
}

#[test]
fn scan() {
    each("scan", |b| {
        let n = 3000usize;
        let data = Numbers::new(4).many(n, |r| r.u32() % 1000);
        let input = b.device.buffer_from(&data).unwrap();
        let out = b.device.buffer_zeroed(4 * n as u64).unwrap();
        let sums = b.device.buffer_zeroed(4 * n.div_ceil(256) as u64).unwrap();
        let grid = n.next_multiple_of(256) as u32;
        b.run(
            "scan_block",
            grid,
            256,
            args![&input, &out, &sums, n as u32],
        );
        b.run("scan_add", grid, 256, args![&out, &sums, n as u32]);
        let mut sum = 0;
        let wanted: Vec<u32> = data
            .iter()
            .map(|v| {
                sum += v;
                sum
            })
            .collect();
        assert_eq!(out.read::<u32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn bitonic_sort() {
    each("bitonic", |b| {
        let data = Numbers::new(5).many(2048, Numbers::u32);
        let mut wanted = data.clone();
        wanted.sort_unstable();
        let buffer = b.device.buffer_from(&data).unwrap();
        for k in (1..=11).map(|n| 1u32 << n) {
            for j in (0..k.trailing_zeros()).rev().map(|n| 1u32 << n) {
                b.run("bitonic_step", 2048, 64, args![&buffer, j, k]);
            }
        }
        assert_eq!(buffer.read::<u32>().unwrap(), wanted, "{}", b.label);

        let buffer = b.device.buffer_from(&data).unwrap();
        b.run("bitonic_local", 1024, 256, args![&buffer]);
        let mut wanted = data.clone();
        wanted.chunks_mut(512).for_each(<[u32]>::sort_unstable);
        assert_eq!(buffer.read::<u32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn atomics() {
    each("atomics", |b| {
        let n = 1000u32;
        let p = b
            .device
            .buffer_from(&[0i32, 0, -5, 7, -1, 0, 0, -1, 5, 5])
            .unwrap();
        let f = b.device.buffer_from(&[0.25f32]).unwrap();
        let mut u = vec![0u32; 1027];
        u[1026] = u32::MAX;
        let u = b.device.buffer_from(&u).unwrap();
        b.run("gatomics", n, 250, args![&p, &f, &u]);
        let got = p.read::<i32>().unwrap();
        let sum = (0..n as i32).sum::<i32>();
        assert_eq!(
            got[..7],
            [sum, -sum, 999, 0, 0, 1023, (0..1000).fold(0, |a, v| a ^ v)],
            "{}",
            b.label
        );
        assert!((0..1000).contains(&got[7]));
        assert_eq!(got[8..], [1005, -995]);
        assert_eq!(f.read::<f32>().unwrap(), [0.25 + 1.5 * 1000.0]);
        let u = u.read::<u32>().unwrap();
        // Each successful exchange raises the cell by one: item g succeeds where the cell holds g.
        let succeeded = (0..1000u32).filter(|g| u[*g as usize] == *g).count() as u32;
        assert_eq!(u[1024], succeeded);
        assert_eq!(u[1025..], [999, 0]);

        let data = Numbers::new(6).many(2000, |r| (r.u32() % 1000) as i32);
        let mut wanted: Vec<i32> = data.iter().copied().filter(|v| v % 3 == 0).collect();
        let input = b.device.buffer_from(&data).unwrap();
        let out = b.device.buffer_zeroed(4 * wanted.len() as u64).unwrap();
        let count = b.device.buffer_zeroed(4).unwrap();
        b.run("queue_push", 2048, 64, args![&input, &out, &count, 2000i32]);
        assert_eq!(count.read::<u32>().unwrap(), [wanted.len() as u32]);
        let mut got = out.read::<i32>().unwrap();
        got.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(got, wanted, "{}", b.label);
    });
}

#[test]
fn dot_products_of_bytes() {
    each("int8dot", |b| {
        let (rows, k) = (100usize, 9usize);
        let mut numbers = Numbers::new(7);
        let a = numbers.many(rows * k * 4, |r| r.u32() as i8);
        let v = numbers.many(k * 4, |r| r.u32() as i8);
        let wanted: Vec<i32> = a
            .chunks(k * 4)
            .map(|row| {
                row.iter()
                    .zip(&v)
                    .map(|(x, y)| i32::from(*x) * i32::from(*y))
                    .sum()
            })
            .collect();
        let a = b.device.buffer_from(&a).unwrap();
        let v = b.device.buffer_from(&v).unwrap();
        let c = b.device.buffer_zeroed(4 * rows as u64).unwrap();
        b.run("int8dot", rows as u32, 64, args![&a, &v, &c, k as i32]);
        assert_eq!(c.read::<i32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn sha256() {
    each("sha256", |b| {
        // One padded block each: "abc" and the empty message; digests as in FIPS 180-4 and its examples.
        let mut abc = [0u32; 16];
        (abc[0], abc[15]) = (0x6162_6380, 24);
        let mut empty = [0u32; 16];
        empty[0] = 0x8000_0000;
        let messages: Vec<u32> = (0..130)
            .flat_map(|n| if n % 2 == 0 { abc } else { empty })
            .collect();
        let digests = [
            [
                0xba7816bfu32,
                0x8f01cfea,
                0x414140de,
                0x5dae2223,
                0xb00361a3,
                0x96177a9c,
                0xb410ff61,
                0xf20015ad,
            ],
            [
                0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c, 0xa495991b,
                0x7852b855,
            ],
        ];
        let message = b.device.buffer_from(&messages).unwrap();
        let out = b.device.buffer_zeroed(130 * 32).unwrap();
        b.run("sha256", 130, 65, args![&message, &out]);
        for (n, digest) in out.read::<u32>().unwrap().chunks(8).enumerate() {
            assert_eq!(digest, digests[n % 2], "{} item {n}", b.label);
        }
    });
}

/// The AES S-box by its definition (FIPS 197, 5.1.1): inverse in GF(2^8), then an affine map.
fn sbox() -> [u8; 256] {
    let mul = |mut a: u8, mut b: u8| {
        let mut p = 0;
        while b != 0 {
            p ^= if b & 1 != 0 { a } else { 0 };
            a = a << 1 ^ if a & 0x80 != 0 { 0x1b } else { 0 };
            b >>= 1;
        }
        p
    };
    std::array::from_fn(|n| {
        let inverse = (0..=255u8).find(|m| mul(n as u8, *m) == 1).unwrap_or(0);
        (0..5).fold(0x63, |a, r| a ^ inverse.rotate_left(r))
    })
}

/// FIPS 197, Appendix B: key, plain text and cipher text of the worked example; the key schedule by 5.2.
#[test]
fn aes() {
    let sbox = sbox();
    let key = [
        0x2bu8, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f,
        0x3c,
    ];
    let plain = [
        0x32u8, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d, 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07,
        0x34,
    ];
    let cipher = [
        0x39u8, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb, 0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b,
        0x32,
    ];
    let mut words: Vec<[u8; 4]> = key.chunks(4).map(|w| w.try_into().unwrap()).collect();
    let mut rcon = 1u8;
    for n in 4..44 {
        let mut word = words[n - 1];
        if n % 4 == 0 {
            word.rotate_left(1);
            word = word.map(|v| sbox[usize::from(v)]);
            word[0] ^= rcon;
            rcon = rcon << 1 ^ if rcon & 0x80 != 0 { 0x1b } else { 0 };
        }
        words.push(std::array::from_fn(|i| word[i] ^ words[n - 4][i]));
    }
    each("aes", |b| {
        let input = b.device.buffer_from(&plain.repeat(70)).unwrap();
        let out = b.device.buffer_zeroed(16 * 70).unwrap();
        let s = b.device.buffer_from(&sbox).unwrap();
        let keys = b.device.buffer_from(words.as_flattened()).unwrap();
        b.run("aes128", 70, 64, args![&input, &out, &s, &keys]);
        assert_eq!(out.read::<u8>().unwrap(), cipher.repeat(70), "{}", b.label);
    });
}

#[test]
fn integer_arithmetic() {
    each("math", |b| {
        let mut numbers = Numbers::new(8);
        let mut x = numbers.many(200, |r| r.u32() as i32);
        x[..8].copy_from_slice(&[0, 1, -1, i32::MIN, i32::MAX, 7, -7, 100]);
        let mut p = numbers.many(200, |r| r.u64() as i64);
        p[..6].copy_from_slice(&[0, -1, i64::MIN, i64::MAX, 77, -1_000_003]);
        let input = [
            b.device.buffer_from(&x).unwrap(),
            b.device.buffer_from(&p).unwrap(),
        ];
        let y = b.device.buffer_zeroed(800).unwrap();
        let q = b.device.buffer_zeroed(1600).unwrap();
        b.run("mathi", 200, 64, args![&input[0], &y, &input[1], &q]);
        let wanted: Vec<(i32, i64)> = x.iter().zip(&p).map(|(v, w)| integers(*v, *w)).collect();
        let got = y
            .read::<i32>()
            .unwrap()
            .into_iter()
            .zip(q.read::<i64>().unwrap());
        for (n, (got, wanted)) in got.zip(wanted).enumerate() {
            assert_eq!(got, wanted, "{} item {n}: {} {}", b.label, x[n], p[n]);
        }
    });
}

/// `mathi` in Rust, with the functions of OpenCL C 6.13.3.
fn integers(v: i32, w: i64) -> (i32, i64) {
    let low24 = |v: i32| v << 8 >> 8;
    let terms = [
        v / 7,
        v % 13,
        ((i64::from(v) * 12345) >> 32) as i32,
        low24(v).wrapping_mul(77),
        low24(v).wrapping_mul(3).wrapping_add(5),
        v.leading_zeros() as i32,
        v.count_ones() as i32,
        v.wrapping_abs(),
        v << 3,
        v.rotate_left(5),
        v.max(3),
        v.min(99),
        ((i64::from(v) + 7) >> 1) as i32,
        v.saturating_add(0x7fff_ff00),
        i32::from(v as i16) << 16 | i32::from(v as u16),
    ];
    let y = terms.iter().fold(0i32, |a, t| a.wrapping_add(*t));
    let wide = i128::from(w);
    let terms = [
        w / 1_000_003,
        w % 77,
        w.wrapping_mul(w),
        ((wide * wide) >> 64) as i64,
        w >> 5,
        w.count_ones().into(),
        if y != 0 {
            w.wrapping_div(i64::from(y | 1))
        } else {
            0
        },
    ];
    (y, terms.iter().fold(0i64, |a, t| a.wrapping_add(*t)))
}

#[test]
fn calls_and_scratch() {
    fn fib(n: i32) -> i32 {
        let (mut a, mut b) = (0, 1);
        for _ in 0..n {
            (a, b) = (b, a + b);
        }
        a
    }
    each("misc", |b| {
        let k = 5;
        let out = b.device.buffer_zeroed(4 * 300).unwrap();
        b.run("calls_and_scratch", 300, 128, args![&out, k]);
        let wanted: Vec<i32> = (0..300)
            .map(|g| {
                let mut a = [0; 64];
                (0..64).for_each(|i| a[((i * k + g) & 63) as usize] = fib((i + g) & 15));
                (0..64).map(|i| a[((i + k * g) & 63) as usize] * i).sum()
            })
            .collect();
        assert_eq!(out.read::<i32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn ids_of_a_grid_with_partial_groups() {
    each("misc", |b| {
        let (size, group) = ([10usize, 6, 4], [4usize, 4, 2]);
        let out = b.device.buffer_zeroed(4 * 8 * 240).unwrap();
        b.run(
            "ids",
            size.map(|n| n as u32),
            group.map(|n| n as u32),
            args![&out],
        );
        let out = out.read::<u32>().unwrap();
        for (n, got) in out.chunks(8).enumerate() {
            let at = [n % 10, n / 10 % 6, n / 60];
            // The group at the edge in Y has 2 rows.
            let rows = if at[1] / 4 == 1 { 2 } else { 4 };
            let wanted = [at[0] / 4, at[1] / 4, 3, rows, 0, 3, at[2] % 2, 2];
            assert_eq!(got, wanted.map(|n| n as u32), "{} item {at:?}", b.label);
        }
    });
}

#[test]
fn bytes_and_shorts() {
    each("misc", |b| {
        let mut numbers = Numbers::new(9);
        let n = 500;
        let a = numbers.many(n, |r| r.u32() as u8);
        let s = numbers.many(n, |r| r.u32() as i16);
        let buffers = [
            b.device.buffer_from(&a).unwrap(),
            b.device.buffer_from(&s).unwrap(),
        ];
        let [c, d, e] = [1, 2, 4].map(|size| b.device.buffer_zeroed(size * n as u64).unwrap());
        b.run(
            "bytes",
            n as u32,
            64,
            args![&buffers[0], &buffers[1], &c, &d, &e],
        );
        let (c, d, e) = (
            c.read::<i8>().unwrap(),
            d.read::<u16>().unwrap(),
            e.read::<u8>().unwrap(),
        );
        for g in 0..n {
            let (x, y) = (i32::from(a[g]), i32::from(s[g]));
            assert_eq!(
                (c[g], d[g]),
                ((x + y) as i8, (x * y) as u16),
                "{} item {g}",
                b.label
            );
            let wanted =
                [x, y, i32::from(c[g]), i32::from(d[g])].map(|v| (v * 3).clamp(0, 255) as u8);
            assert_eq!(e[4 * g..4 * g + 4], wanted, "{} item {g}", b.label);
        }
    });
}

#[test]
fn switch() {
    each("misc", |b| {
        let ops = Numbers::new(10).many(400, |r| (r.u32() % 8) as i32);
        let input = b.device.buffer_from(&ops).unwrap();
        let out = b.device.buffer_zeroed(1600).unwrap();
        b.run("sw", 400, 64, args![&out, &input]);
        let wanted: Vec<i32> = ops
            .iter()
            .zip(0i32..)
            .map(|(op, v)| match op {
                0 => v + 5,
                1 => v * 3,
                2 => v ^ 0x55,
                3 => -v,
                4 => v << 2,
                5 => v % 7,
                _ => !v,
            })
            .collect();
        assert_eq!(out.read::<i32>().unwrap(), wanted, "{}", b.label);
    });
}

/// The cross-lane operations of `subgroup.cl`, lane by lane as the ISA document describes them.
#[test]
fn cross_lane() {
    each("subgroup", |b| {
        let data = Numbers::new(11).many(128, |r| r.u32() as i32);
        let buffer = b.device.buffer_from(&data).unwrap();
        b.run("wave", 128, 128, args![&buffer]);
        let wanted: Vec<i32> = data.chunks(64).flat_map(lanes).collect();
        assert_eq!(buffer.read::<i32>().unwrap(), wanted, "{}", b.label);
    });
}

fn lanes(data: &[i32]) -> Vec<i32> {
    let mut v = data.to_vec();
    let step = |v: &mut Vec<i32>, read: &dyn Fn(usize, &[i32]) -> i32| {
        let old = v.clone();
        v.iter_mut()
            .enumerate()
            .for_each(|(l, v)| *v = v.wrapping_add(read(l, &old)));
    };
    step(&mut v, &|l, v| v[l ^ 1]);
    // Bit mask swizzle 0x401f: and 0x1f, or 0, xor 0x10, in each 32 lanes.
    step(&mut v, &|l, v| v[l ^ 16]);
    // row_shr:1 without bound_ctrl: lane 0 of a row keeps the old value, 0.
    step(&mut v, &|l, v| if l % 16 == 0 { 0 } else { v[l - 1] });
    // row_bcast:15 with row mask 0xa: rows 1 and 3 read the last lane of the row before; the others keep 0.
    step(&mut v, &|l, v| {
        if l / 16 % 2 == 1 {
            v[l / 16 * 16 - 1]
        } else {
            0
        }
    });
    // quad_perm:[3,2,1,0].
    step(&mut v, &|l, v| v[l ^ 3]);
    let all = v[13].wrapping_add(v[0]);
    v.iter_mut().for_each(|v| *v ^= all);
    v
}
