//! The OpenCL kernels of floating-point numbers, every build, against Rust.
//!
//! Where the compiled code fixes the order of roundings, results are compared bit for bit; else within what OpenCL C 7.4
//! grants the functions used, which each test says.

use crate::common::{Build, Numbers, close, each, wide};
use wavetank::Arg;
use wavetank_gcn::Generation;

#[test]
fn vecadd() {
    each("vecadd", |b| {
        let n = 1000;
        let mut numbers = Numbers::new(20);
        let x = numbers.many(n, |r| r.f32(-1e3, 1e3));
        let y = numbers.many(n, |r| r.f32(-1e-3, 1e3));
        let inputs = [
            b.device.buffer_from(&x).unwrap(),
            b.device.buffer_from(&y).unwrap(),
        ];
        let out = b.device.buffer_zeroed(4 * n as u64).unwrap();
        b.run(
            "vecadd",
            1024,
            64,
            args![&inputs[0], &inputs[1], &out, n as u32],
        );
        let wanted: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        assert_eq!(out.read::<f32>().unwrap(), wanted, "{}", b.label);
    });
}

/// A product and a sum: rounded once, as compilers for gfx9 have it (V_FMA_F32), or by V_MAD_F32 as for older chips: rounded
/// twice, denormals flushed.
fn multiply_add(b: &Build) -> fn(f32, f32, f32) -> f32 {
    fn flushed(x: f32) -> f32 {
        if x.is_subnormal() {
            0.0f32.copysign(x)
        } else {
            x
        }
    }
    match b.device.facts().chip.generation() {
        Generation::Gfx9 => f32::mul_add,
        _ => |a, b, c| flushed(flushed(flushed(a) * flushed(b)) + flushed(c)),
    }
}

/// All builds for a generation contract the products in the same way (their disassembly), so counts are exact.
fn escape(
    (cx, cy): (f32, f32),
    limit: u32,
    mad: impl Fn(f32, f32, f32) -> f32,
    inside: impl Fn(f32) -> bool,
) -> u32 {
    let (mut x, mut y) = (0f32, 0f32);
    (0..limit)
        .find(|_| {
            let squared = y * y;
            let out = !inside(mad(x, x, squared));
            let t = mad(x, x, -squared) + cx;
            y = mad(x + x, y, cy);
            x = t;
            out
        })
        .unwrap_or(limit)
}

#[test]
fn mandelbrot() {
    each("mandel", |b| {
        let (w, h, limit) = (70u32, 50u32, 100u32);
        let out = b.device.buffer_zeroed(4 * u64::from(w * h)).unwrap();
        let (x0, y0, dx, dy) = (-2.0f32, -1.2f32, 0.043f32, 0.048f32);
        b.run(
            "mandel",
            [80, 56],
            [16, 8],
            args![&out, w, h, x0, y0, dx, dy, limit],
        );
        let mad = multiply_add(b);
        let pixel = |n: u32| {
            let c = (mad(dx, (n % w) as f32, x0), mad(dy, (n / w) as f32, y0));
            escape(c, limit, mad, |r| r < 4.0)
        };
        let wanted: Vec<u32> = (0..w * h).map(pixel).collect();
        assert_eq!(out.read::<u32>().unwrap(), wanted, "{}", b.label);

        let (x0, y0, d) = (-2.0f64, -1.2f64, 0.05f64);
        let out = b.device.buffer_zeroed(4 * 64 * 48).unwrap();
        b.run(
            "mandel_d",
            [64, 48],
            [8, 8],
            args![&out, 64u32, x0, y0, d, limit],
        );
        let pixel = |n: u32| {
            let (cx, cy) = (
                d.mul_add((n % 64).into(), x0),
                d.mul_add((n / 64).into(), y0),
            );
            let (mut x, mut y) = (0f64, 0f64);
            let escape = (0..limit).find(|_| {
                let squared = y * y;
                let out = x.mul_add(x, squared) >= 4.0;
                let t = x.mul_add(x, -squared) + cx;
                y = (x + x).mul_add(y, cy);
                x = t;
                out
            });
            escape.unwrap_or(limit)
        };
        let wanted: Vec<u32> = (0..64 * 48).map(pixel).collect();
        assert_eq!(out.read::<u32>().unwrap(), wanted, "{}", b.label);
    });
}

fn product<T: Copy + Into<f64>>(
    a: &[T],
    b: &[T],
    rows: usize,
    columns: usize,
    k: usize,
) -> Vec<f64> {
    let cell = |n: usize| {
        let (row, column) = (n / columns, n % columns);
        (0..k)
            .map(|i| a[row * k + i].into() * b[i * columns + column].into())
            .sum()
    };
    (0..rows * columns).map(cell).collect()
}

#[test]
fn matrix_products() {
    each("sgemm", |b| {
        let (m, n, k) = (20usize, 35usize, 18usize);
        let mut numbers = Numbers::new(21);
        let x = numbers.many(m * k, |r| r.f32(-1.0, 1.0));
        let y = numbers.many(k * n, |r| r.f32(-1.0, 1.0));
        let z = numbers.many(m * n, |r| r.f32(-1.0, 1.0));
        let inputs = [
            b.device.buffer_from(&x).unwrap(),
            b.device.buffer_from(&y).unwrap(),
        ];
        let wanted = product(&x, &y, m, n, k);
        let size = [m, n, k].map(|n| Arg::from(n as i32));

        // Rounding errors of sums of 18 products below 1: under 18 * 2^-24 * 18.
        let out = b.device.buffer_from(&z).unwrap();
        let mut args = args![&inputs[0], &inputs[1], &out];
        args.extend(size.clone());
        args.extend(args![1.5f32, -0.5f32]);
        b.run("sgemm_naive", [48, 32], [16, 16], args);
        let scaled: Vec<f64> = wanted
            .iter()
            .zip(&z)
            .map(|(w, z)| 1.5 * w - 0.5 * f64::from(*z))
            .collect();
        close(
            &b.label,
            &wide(&out.read::<f32>().unwrap()),
            &scaled,
            1e-6,
            1e-5,
        );

        let out = b.device.buffer_from(&z).unwrap();
        let mut args = args![&inputs[0], &inputs[1], &out];
        args.extend(size.clone());
        b.run("sgemm_lds", [48, 32], [16, 16], args);
        close(
            &b.label,
            &wide(&out.read::<f32>().unwrap()),
            &wanted,
            1e-6,
            1e-5,
        );

        let x = numbers.many(m * k, |r| r.f64(-1.0, 1.0));
        let y = numbers.many(k * n, |r| r.f64(-1.0, 1.0));
        let inputs = [
            b.device.buffer_from(&x).unwrap(),
            b.device.buffer_from(&y).unwrap(),
        ];
        let out = b.device.buffer_zeroed(8 * (m * n) as u64).unwrap();
        let mut args = args![&inputs[0], &inputs[1], &out];
        args.extend(size);
        b.run("dgemm", [48, 32], [16, 16], args);
        let wanted: Vec<f64> = product(&x, &y, m, n, k)
            .iter()
            .map(|s| s / (1.0 + s.abs().sqrt()))
            .collect();
        close(&b.label, &out.read::<f64>().unwrap(), &wanted, 1e-13, 1e-13);
    });
}

#[test]
fn sparse_product() {
    each("spmv", |b| {
        let rows = 130usize;
        let mut numbers = Numbers::new(22);
        let mut starts = vec![0i32];
        for _ in 0..rows {
            starts.push(starts.last().unwrap() + (numbers.u32() % 20) as i32);
        }
        let count = *starts.last().unwrap() as usize;
        let columns = numbers.many(count, |r| (r.u32() % 100) as i32);
        let values = numbers.many(count, |r| r.f32(-1.0, 1.0));
        let x = numbers.many(100, |r| r.f32(-1.0, 1.0));
        let wanted: Vec<f64> = starts
            .windows(2)
            .map(|w| {
                let range = w[0] as usize..w[1] as usize;
                range
                    .map(|i| f64::from(values[i]) * f64::from(x[columns[i] as usize]))
                    .sum()
            })
            .collect();
        let d = &b.device;
        let inputs = [
            d.buffer_from(&starts).unwrap(),
            d.buffer_from(&columns).unwrap(),
        ];
        let floats = [d.buffer_from(&values).unwrap(), d.buffer_from(&x).unwrap()];
        let y = d.buffer_zeroed(4 * rows as u64).unwrap();
        let args = args![
            &inputs[0],
            &inputs[1],
            &floats[0],
            &floats[1],
            &y,
            rows as i32
        ];
        b.run("spmv_csr", 192, 64, args);
        close(
            &b.label,
            &wide(&y.read::<f32>().unwrap()),
            &wanted,
            1e-6,
            1e-5,
        );
    });
}

#[test]
fn stencils() {
    each("stencil", |b| {
        let (w, h) = (37usize, 21usize);
        let mut numbers = Numbers::new(23);
        let a = numbers.many(w * h, |r| r.f32(0.0, 1.0));
        let input = b.device.buffer_from(&a).unwrap();
        let out = b.device.buffer_zeroed(4 * (w * h) as u64).unwrap();
        b.run(
            "jacobi2d",
            [40, 24],
            [8, 8],
            args![&input, &out, w as i32, h as i32],
        );
        let cell = |i: usize| {
            let (x, y) = (i % w, i / w);
            let inside = x > 0 && y > 0 && x < w - 1 && y < h - 1;
            // Sums only, in the order of the source: exact. The factor is a power of two.
            if inside {
                0.25 * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w])
            } else {
                0.0
            }
        };
        let wanted: Vec<f32> = (0..w * h).map(cell).collect();
        assert_eq!(out.read::<f32>().unwrap(), wanted, "{}", b.label);

        let [nx, ny, nz] = [9usize, 7, 6];
        let a = numbers.many(nx * ny * nz, |r| r.f64(0.0, 1.0));
        let input = b.device.buffer_from(&a).unwrap();
        let out = b.device.buffer_zeroed(8 * (nx * ny * nz) as u64).unwrap();
        // int3 has the size of int4.
        let size: Vec<u8> = [nx, ny, nz, 0]
            .iter()
            .flat_map(|n| (*n as i32).to_le_bytes())
            .collect();
        b.run(
            "stencil3d",
            [nx, ny, nz].map(|n| n as u32),
            [4, 4, 2],
            args![&input, &out, size],
        );
        let cell = |i: usize| {
            let at = [i % nx, i / nx % ny, i / nx / ny];
            let inside = at
                .iter()
                .zip([nx, ny, nz])
                .all(|(p, n)| *p > 0 && *p < n - 1);
            let sum = |i: usize| {
                a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - nx * ny] + a[i + nx * ny]
                    - 6.0 * a[i]
            };
            if inside { sum(i) } else { 0.0 }
        };
        let wanted: Vec<f64> = (0..nx * ny * nz).map(cell).collect();
        close(&b.label, &out.read::<f64>().unwrap(), &wanted, 1e-14, 1e-14);
    });
}

#[test]
fn transpose() {
    each("transpose", |b| {
        let (w, h) = (50usize, 35usize);
        let a = Numbers::new(24).many(w * h, |r| r.f32(-1.0, 1.0));
        let input = b.device.buffer_from(&a).unwrap();
        let out = b.device.buffer_zeroed(4 * (w * h) as u64).unwrap();
        b.run(
            "transpose",
            [64, 48],
            [16, 16],
            args![&input, &out, w as i32, h as i32],
        );
        let wanted: Vec<f32> = (0..w * h).map(|n| a[n % h * w + n / h]).collect();
        assert_eq!(out.read::<f32>().unwrap(), wanted, "{}", b.label);
    });
}

/// Complex values as pairs of floats.
fn transform(data: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let n = data.len();
    let bin = |k: usize| {
        data.iter().enumerate().fold([0.0, 0.0], |sum, (t, v)| {
            let (sin, cos) = (-std::f64::consts::TAU * ((k * t) % n) as f64 / n as f64).sin_cos();
            [
                sum[0] + v[0] * cos - v[1] * sin,
                sum[1] + v[0] * sin + v[1] * cos,
            ]
        })
    };
    (0..n).map(bin).collect()
}

#[test]
fn fourier_transform() {
    each("fft", |b| {
        let data = Numbers::new(25).many(2 * 512, |r| r.f32(-1.0, 1.0));
        let buffer = b.device.buffer_from(&data).unwrap();
        b.run("fft256", 256, 128, args![&buffer]);
        let pairs: Vec<[f64; 2]> = wide(&data).chunks(2).map(|c| [c[0], c[1]]).collect();
        let wanted: Vec<f64> = pairs.chunks(256).flat_map(transform).flatten().collect();
        // Eight stages of roundings on sums up to about 20.
        close(
            &b.label,
            &wide(&buffer.read::<f32>().unwrap()),
            &wanted,
            0.0,
            5e-5,
        );

        // One butterfly stage with native functions, whose error OpenCL leaves open: 2^-20 here.
        let buffer = b.device.buffer_from(&data).unwrap();
        let m = 8usize;
        b.run("fft_native", 256, 64, args![&buffer, m as u32]);
        let mut wanted = pairs.clone();
        for l in 0..256 {
            let k = l % m;
            let i = (l - k) * 2 + k;
            let (sin, cos) = (-std::f64::consts::PI * k as f64 / m as f64).sin_cos();
            let (u, v) = (wanted[i], wanted[i + m]);
            let v = [v[0] * cos - v[1] * sin, v[0] * sin + v[1] * cos];
            wanted[i] = [u[0] + v[0], u[1] + v[1]];
            wanted[i + m] = [u[0] - v[0], u[1] - v[1]];
        }
        let wanted: Vec<f64> = wanted.into_iter().flatten().collect();
        close(
            &b.label,
            &wide(&buffer.read::<f32>().unwrap()),
            &wanted,
            0.0,
            2e-6,
        );
    });
}

#[test]
fn bodies() {
    each("nbody", |b| {
        let n = 128usize;
        let mut numbers = Numbers::new(26);
        let position = numbers.many(4 * n, |r| r.f32(-1.0, 1.0));
        let velocity = numbers.many(4 * n, |r| r.f32(-1.0, 1.0));
        let (dt, eps) = (0.01f32, 0.05f32);
        let d = &b.device;
        let [p, v] = [&position, &velocity].map(|data| d.buffer_from(data).unwrap());
        let out = d.buffer_zeroed(16 * n as u64).unwrap();
        let mut args = args![&p, &v, &out, n as u32, dt, eps];
        args.push(Arg::Lds(64 * 16));
        b.run("nbody", n as u32, 64, args);
        let (position, mut velocity) = (wide(&position), wide(&velocity));
        let mut moved = position.clone();
        for i in 0..n {
            let mut a = [0.0; 3];
            for j in 0..n {
                let r: [f64; 3] =
                    std::array::from_fn(|c| position[4 * j + c] - position[4 * i + c]);
                let q = (r.iter().map(|v| v * v).sum::<f64>() + f64::from(eps))
                    .sqrt()
                    .recip();
                (0..3).for_each(|c| a[c] += r[c] * position[4 * j + 3] * q * q * q);
            }
            for c in 0..3 {
                velocity[4 * i + c] += a[c] * f64::from(dt);
                moved[4 * i + c] += velocity[4 * i + c] * f64::from(dt);
            }
        }
        close(
            &b.label,
            &wide(&v.read::<f32>().unwrap()),
            &velocity,
            1e-5,
            1e-4,
        );
        close(
            &b.label,
            &wide(&out.read::<f32>().unwrap()),
            &moved,
            1e-5,
            1e-5,
        );
    });
}

/// A half-precision number's value (IEEE 754-2008, 3.4).
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// Finite halves between 2^-4 and 16.
fn halves(numbers: &mut Numbers, n: usize) -> Vec<u16> {
    numbers.many(n, |r| {
        let v = r.u32();
        (v & 0x83ff) as u16 | (11 + (v >> 16) as u16 % 8) << 10
    })
}

/// Rounding a value to half precision changes it by at most this much, relatively.
const HALF_ULP: f64 = 1.0 / 2048.0;

#[test]
fn half_precision() {
    each("half", |b| {
        let mut numbers = Numbers::new(27);
        let n = 300usize;
        let x = halves(&mut numbers, 2 * n);
        let y = halves(&mut numbers, 2 * n);
        let a = 0x3d00u16; // 1.25
        let input = b.device.buffer_from(&x).unwrap();
        let out = b.device.buffer_from(&y).unwrap();
        let args = vec![Arg::from(&input), Arg::from(&out), Arg::F16(a)];
        b.run("haxpy", n as u32, 64, args);
        let got: Vec<f64> = out.read::<u16>().unwrap().into_iter().map(half).collect();
        let wanted: Vec<f64> = x
            .iter()
            .zip(&y)
            .map(|(x, y)| half(a) * half(*x) + half(*y))
            .collect();
        // One rounding of the exact result.
        close(&b.label, &got, &wanted, HALF_ULP, 2f64.powi(-25));

        let x: Vec<u16> = halves(&mut numbers, 4 * n)
            .iter()
            .map(|v| v & 0x7fff)
            .collect();
        let input = b.device.buffer_from(&x).unwrap();
        let y = b.device.buffer_zeroed(16 * n as u64).unwrap();
        let o = b.device.buffer_zeroed(2 * n as u64).unwrap();
        b.run("hmix", n as u32, 64, args![&input, &y, &o]);
        let wanted: Vec<f64> = x.iter().map(|v| half(*v).max(0.5)).collect();
        assert_eq!(wide(&y.read::<f32>().unwrap()), wanted, "{}", b.label);
        let got: Vec<f64> = o.read::<u16>().unwrap().into_iter().map(half).collect();
        let wanted: Vec<f64> = x
            .chunks(4)
            .map(|v| {
                let [x, y, z, w] = [0, 1, 2, 3].map(|n| half(v[n]));
                let value = x.exp2() * y.sqrt() + z.min(w) / x;
                if value >= 65520.0 {
                    f64::INFINITY
                } else {
                    value
                }
            })
            .collect();
        for (n, (g, w)) in got.iter().zip(&wanted).enumerate() {
            // exp2 2 ULP, sqrt and division 1 ULP, two more roundings.
            let fits = (g - w).abs() <= 6.0 * HALF_ULP * 2.0 * w || (*w > 65000.0 && *g >= 65000.0);
            assert!(fits, "{} item {n}: {g}, not {w}", b.label);
        }

        let (rows, columns, k) = (10usize, 20usize, 8usize);
        let x = halves(&mut numbers, 2 * rows * k);
        let y = halves(&mut numbers, 2 * k * columns);
        let [p, q] = [&x, &y].map(|data| b.device.buffer_from(data).unwrap());
        let out = b.device.buffer_zeroed(4 * (rows * columns) as u64).unwrap();
        let args = args![&p, &q, &out, columns as i32, k as i32];
        b.run("hgemm", [columns as u32, rows as u32], [4, 2], args);
        let got = out.read::<u16>().unwrap();
        for (n, got) in got.into_iter().map(half).enumerate() {
            let (cell, part) = (n / 2, n % 2);
            let (row, column) = (cell / columns, cell % columns);
            let terms = (0..k).map(|i| {
                half(x[2 * (row * k + i) + part]) * half(y[2 * (i * columns + column) + part])
            });
            let (sum, size) = terms.fold((0.0, 0.0), |(s, a), t| (s + t, a + t.abs()));
            // At most two roundings a step, of partial sums no larger than the sum of sizes.
            let error = 2.0 * k as f64 * HALF_ULP * size;
            assert!(
                (got - sum).abs() <= error,
                "{} element {n} is {got}, not {sum}",
                b.label
            );
        }
    });
}

/// A sum of library functions, each within its bound of OpenCL C 7.4 of its own value: the error of the sum is at most the
/// sum of the parts' errors, and half an ULP of the running sum for each addition.
struct Sum {
    value: f64,
    error: f64,
    epsilon: f64,
}

impl Sum {
    fn add(&mut self, term: f64, ulps: f64) {
        self.value += term;
        self.error += self.epsilon * (ulps * term.abs() + 2.0 * self.value.abs());
    }
}

#[test]
fn single_precision_functions() {
    each("math", |b| {
        let mut x = Numbers::new(28).many(500, |r| r.f32(-8.0, 8.0));
        x[..6].copy_from_slice(&[0.5, -0.5, 1.0, -1.0, 2.0, 3.0]);
        let input = b.device.buffer_from(&x).unwrap();
        let out = b.device.buffer_zeroed(2000).unwrap();
        b.run("mathf", 500, 64, args![&input, &out]);
        for (n, got) in out.read::<f32>().unwrap().into_iter().enumerate() {
            let v = f64::from(x[n]);
            let mut sum = Sum {
                value: 0.0,
                error: 1e-6,
                epsilon: f32::EPSILON.into(),
            };
            sum.add(v.sin(), 4.0);
            sum.add(v.cos(), 4.0);
            sum.add(v.tan(), 5.0);
            sum.add(v.exp(), 3.0);
            sum.add((v.abs() + 1.0).ln(), 4.0);
            sum.add(v.abs().powf(f64::from(1.3f32)), 16.0);
            sum.add(v.atan2(2.0), 6.0);
            sum.add(v.tanh(), 5.0);
            sum.add(erf(v), 16.0);
            sum.add(v % 3.0, 0.0);
            sum.add(v.cbrt(), 2.0);
            sum.add(v * 8.0, 0.0);
            sum.add(gamma(v.abs() + 1.0), 20.0);
            sum.add(1.0 / v, 2.5);
            sum.add(v.abs().sqrt(), 3.0);
            sum.add(v.round_ties_even(), 0.0);
            sum.add(v.floor(), 0.0);
            sum.add(v.trunc(), 0.0);
            sum.add(v.hypot(1.0), 4.0);
            let difference = (f64::from(got) - sum.value).abs();
            assert!(
                difference <= sum.error,
                "{} at {v}: {got}, not {} +- {}",
                b.label,
                sum.value,
                sum.error
            );
        }
    });
}

/// The error function by its series (Abramowitz and Stegun 7.1.6), which converges for every argument.
fn erf(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    for n in 1..400 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp() * sum
}

/// The gamma function by Stirling's series (Abramowitz and Stegun 6.1.40) after shifting the argument above 20.
fn gamma(x: f64) -> f64 {
    let (mut z, mut divisor) = (x, 1.0);
    while z < 20.0 {
        divisor *= z;
        z += 1.0;
    }
    let correction = 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5));
    let log = (z - 0.5) * z.ln() - z + 0.5 * std::f64::consts::TAU.ln() + correction;
    log.exp() / divisor
}

#[test]
fn double_precision_functions() {
    each("math", |b| {
        let mut x = Numbers::new(29).many(500, |r| r.f64(-30.0, 30.0));
        x[..6].copy_from_slice(&[0.5, -0.5, 1.0, -1.5, 2.5, 3.0]);
        let input = b.device.buffer_from(&x).unwrap();
        let out = b.device.buffer_zeroed(4000).unwrap();
        b.run("mathd", 500, 64, args![&input, &out]);
        for (n, got) in out.read::<f64>().unwrap().into_iter().enumerate() {
            let v = x[n];
            let mut sum = Sum {
                value: 0.0,
                error: 1e-14,
                epsilon: f64::EPSILON,
            };
            sum.add(v.sin(), 4.0);
            sum.add(v.exp(), 3.0);
            sum.add((v.abs() + 1.0).ln(), 3.0);
            sum.add(v.abs().powf(1.3), 16.0);
            sum.add(1.0 / v, 1.0);
            sum.add(v.abs().sqrt(), 1.0);
            sum.add(v.round_ties_even(), 0.0);
            sum.add(v.floor(), 0.0);
            sum.add(v % 3.0, 0.0);
            sum.add(v.trunc(), 0.0);
            sum.add(v.trunc(), 0.0);
            let difference = (got - sum.value).abs();
            assert!(
                difference <= sum.error,
                "{} at {v}: {got}, not {} +- {}",
                b.label,
                sum.value,
                sum.error
            );
        }
    });
}
