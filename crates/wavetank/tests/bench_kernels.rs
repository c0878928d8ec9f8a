//! The benchmark kernels, every build, against Rust.

use crate::common::{Numbers, close, each, wide};

#[test]
fn vadd() {
    each("bench", |b| {
        let x = Numbers::new(60).many(1024, |r| r.f32(-1.0, 1.0));
        let y = Numbers::new(61).many(1024, |r| r.f32(-1.0, 1.0));
        let inputs = [
            b.device.buffer_from(&x).unwrap(),
            b.device.buffer_from(&y).unwrap(),
        ];
        let out = b.device.buffer_zeroed(4096).unwrap();
        b.run("vadd", 1024, 256, args![&inputs[0], &inputs[1], &out]);
        let wanted: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        assert_eq!(out.read::<f32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn fmaloop() {
    each("bench", |b| {
        let out = b.device.buffer_zeroed(4 * 512).unwrap();
        b.run("fmaloop", 512, 256, args![&out, 50u32]);
        let wanted: Vec<f32> = (0..512)
            .map(|i| {
                let x = i as f32 * 1e-7;
                let chain = |n: usize| (0..50).fold(x + n as f32, |a, _| a.mul_add(0.999, x));
                (1..8).fold(chain(0), |sum, n| sum + chain(n))
            })
            .collect();
        assert_eq!(out.read::<f32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn matrix_products() {
    each("bench", |b| {
        let n = 48usize;
        let x = Numbers::new(62).many(n * n, |r| r.f32(-1.0, 1.0));
        let y = Numbers::new(63).many(n * n, |r| r.f32(-1.0, 1.0));
        let cell = |i: usize| {
            (0..n).fold(0f32, |acc, k| {
                x[i / n * n + k].mul_add(y[k * n + i % n], acc)
            })
        };
        let wanted: Vec<f32> = (0..n * n).map(cell).collect();
        let inputs = [
            b.device.buffer_from(&x).unwrap(),
            b.device.buffer_from(&y).unwrap(),
        ];
        for kernel in ["matmul_naive", "matmul_tiled"] {
            let out = b.device.buffer_zeroed(4 * (n * n) as u64).unwrap();
            b.run(
                kernel,
                [n as u32, n as u32],
                [16, 16],
                args![&inputs[0], &inputs[1], &out, n as u32],
            );
            assert_eq!(out.read::<f32>().unwrap(), wanted, "{} {kernel}", b.label);
        }
    });
}

#[test]
fn reduce() {
    each("bench", |b| {
        let x = Numbers::new(64).many(5000, Numbers::u32);
        let input = b.device.buffer_from(&x).unwrap();
        let out = b.device.buffer_zeroed(4).unwrap();
        b.run("reduce", 1024, 256, args![&input, &out, 5000u32, 1024u32]);
        let sum = x.iter().fold(0u32, |a, v| a.wrapping_add(*v));
        assert_eq!(out.read::<u32>().unwrap(), [sum], "{}", b.label);
    });
}

#[test]
fn nbody() {
    each("bench", |b| {
        let n = 256usize;
        let p = Numbers::new(65).many(4 * n, |r| r.f32(-1.0, 1.0));
        let input = b.device.buffer_from(&p).unwrap();
        let out = b.device.buffer_zeroed(16 * n as u64).unwrap();
        b.run("nbody", n as u32, 256, args![&input, &out, n as u32]);
        let p = wide(&p);
        let wanted: Vec<f64> = (0..n)
            .flat_map(|i| {
                let mut a = [0.0; 4];
                for j in 0..n {
                    let d: [f64; 3] = std::array::from_fn(|c| p[4 * j + c] - p[4 * i + c]);
                    let r = (d.iter().map(|v| v * v).sum::<f64>() + 1e-4).sqrt().recip();
                    (0..3).for_each(|c| a[c] += d[c] * p[4 * j + 3] * r * r * r);
                }
                a
            })
            .collect();
        // Close pairs give forces up to 1e4, of which 2^-24 each is lost.
        close(
            &b.label,
            &wide(&out.read::<f32>().unwrap()),
            &wanted,
            1e-4,
            1e-2,
        );
    });
}

#[test]
fn mandelbrot() {
    each("bench", |b| {
        let (w, h, limit) = (64u32, 48u32, 80u32);
        let out = b.device.buffer_zeroed(4 * u64::from(w * h)).unwrap();
        b.run("mandel", [w, h], [16, 16], args![&out, w, h, limit]);
        let pixel = |n: u32| {
            // The compiler's division is within 2.5 ULP; with powers of two it is exact. 48 = 3 * 16 is not.
            let cx = -2.0 + 3.0 * (n % w) as f32 / w as f32;
            let cy = -1.2 + 2.4 * (n / w) as f32 / h as f32;
            let (mut x, mut y) = (0f32, 0f32);
            let escape = (0..limit).find(|_| {
                let squared = y * y;
                let out = x.mul_add(x, squared) > 4.0;
                let t = x.mul_add(x, -squared) + cx;
                y = (x + x).mul_add(y, cy);
                x = t;
                out
            });
            escape.unwrap_or(limit)
        };
        let wanted: Vec<u32> = (0..w * h).map(pixel).collect();
        let got = out.read::<u32>().unwrap();
        let different = got.iter().zip(&wanted).filter(|(g, w)| g != w).count();
        // An ULP in cy changes counts only beside the set's edge.
        assert!(
            different * 50 < wanted.len(),
            "{}: {different} of {} differ",
            b.label,
            wanted.len()
        );
    });
}
