//! The HIP kernels: what OpenCL does not reach. Every build, against Rust.

use crate::common::{Numbers, close, each, wide};
use std::time::Duration;

use wavetank::{Arg, Error};

#[test]
fn vecadd() {
    each("suite", |b| {
        let x = Numbers::new(40).many(300, |r| r.f32(-1.0, 1.0));
        let y = Numbers::new(41).many(300, |r| r.f32(-1.0, 1.0));
        let inputs = [
            b.device.buffer_from(&x).unwrap(),
            b.device.buffer_from(&y).unwrap(),
        ];
        let out = b.device.buffer_zeroed(1200).unwrap();
        b.run(
            "_Z8k_vecaddPKfS0_Pfi",
            320,
            64,
            args![&inputs[0], &inputs[1], &out, 300],
        );
        let wanted: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        assert_eq!(out.read::<f32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn shuffle_reduction() {
    each("suite", |b| {
        // Small whole numbers: every sum is exact.
        let x = Numbers::new(42).many(500, |r| (r.u32() % 100) as f32);
        let input = b.device.buffer_from(&x).unwrap();
        let out = b.device.buffer_zeroed(4).unwrap();
        b.run(
            "_Z13k_shfl_reducePKfPfi",
            512,
            128,
            args![&input, &out, 500],
        );
        assert_eq!(
            out.read::<f32>().unwrap(),
            [x.iter().sum::<f32>()],
            "{}",
            b.label
        );
    });
}

#[test]
fn ballots() {
    each("suite", |b| {
        let p = Numbers::new(43).many(128, |r| {
            (r.u32() % 9) as i32 - i32::from(r.u32() % 200 == 0)
        });
        let input = b.device.buffer_from(&p).unwrap();
        let masks = b.device.buffer_zeroed(16).unwrap();
        let out = b.device.buffer_zeroed(512).unwrap();
        b.run("_Z8k_ballotPKiPyPi", 128, 128, args![&input, &masks, &out]);
        let (mut wanted_masks, mut wanted) = (Vec::new(), Vec::new());
        for wave in p.chunks(64) {
            let mask = wave
                .iter()
                .rev()
                .fold(0u64, |m, v| m << 1 | u64::from(*v > 0));
            let any = wave.contains(&7);
            let all = wave.iter().all(|v| *v >= 0);
            let position: Vec<i32> = (0..64)
                .map(|l| {
                    let count = (mask & ((1u64 << l) - 1)).count_ones() as i32;
                    let count = if any { -count } else { count };
                    if all { count ^ 1 } else { count }
                })
                .collect();
            wanted_masks.push(mask);
            wanted.extend((0..64).map(|l| position[l] + position[l ^ 5] + position[3]));
        }
        assert_eq!(masks.read::<u64>().unwrap(), wanted_masks, "{}", b.label);
        assert_eq!(out.read::<i32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn dynamic_lds() {
    each("suite", |b| {
        let x = Numbers::new(44).many(200, |r| r.f32(-1.0, 1.0));
        let buffer = b.device.buffer_from(&x).unwrap();
        let kernel = b.module.kernel("_Z8k_dynldsPf").unwrap();
        kernel
            .dispatch()
            .grid(200)
            .block(200)
            .arg(&buffer)
            .dynamic_lds(800)
            .run()
            .unwrap();
        let wanted: Vec<f32> = x.iter().rev().copied().collect();
        assert_eq!(buffer.read::<f32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn half_pairs() {
    each("suite", |b| {
        // 1.5 * 2 + 0.25 = 3.25, and -0.5 * 4 + 3 = 1; sqrt(3.25) + exp(0) = 2.8027.
        let pair = |low: u16, high: u16| vec![[low, high]; 64];
        let a = b
            .device
            .buffer_from(pair(0x3e00, 0xb800).as_flattened())
            .unwrap();
        let c = b
            .device
            .buffer_from(pair(0x4000, 0x4400).as_flattened())
            .unwrap();
        let out = b
            .device
            .buffer_from(pair(0x3400, 0x4200).as_flattened())
            .unwrap();
        let roots = b.device.buffer_zeroed(128).unwrap();
        b.run(
            "_Z6k_halfPK7__half2S1_PS_P6__half",
            64,
            64,
            args![&a, &c, &out, &roots],
        );
        assert_eq!(
            out.read::<u16>().unwrap(),
            *pair(0x4280, 0x3c00).as_flattened(),
            "{}",
            b.label
        );
        // 2.8027756 lies between the halves 0x419b (2.802734) and 0x419c (2.804688).
        let roots = roots.read::<u16>().unwrap();
        assert!(
            roots.iter().all(|r| (0x419a..=0x419c).contains(r)),
            "{}: {roots:x?}",
            b.label
        );
    });
}

#[test]
fn wide_atomics() {
    each("suite", |b| {
        let d = &b.device;
        let p = d.buffer_zeroed(16).unwrap();
        let doubles = d.buffer_from(&[0.5f64]).unwrap();
        let floats = d.buffer_from(&[0.5f32, 0.0]).unwrap();
        let q = d.buffer_zeroed(8).unwrap();
        b.run(
            "_Z8k_atom64PyPdPfPi",
            300,
            100,
            args![&p, &doubles, &floats, &q],
        );
        assert_eq!(p.read::<u64>().unwrap(), [300, 99], "{}", b.label);
        assert_eq!(doubles.read::<f64>().unwrap(), [450.5]);
        assert_eq!(floats.read::<f32>().unwrap(), [750.5, 300.0]);
        let q = q.read::<i32>().unwrap();
        assert!((0..100).contains(&q[0]) && q[1] == 3, "{}: {q:?}", b.label);
    });
}

#[test]
fn globals_keep_their_values_between_dispatches() {
    each("suite", |b| {
        let out = b.device.buffer_zeroed(4 * 32).unwrap();
        for run in 0..3 {
            b.run("_Z9k_globalsPf", 32, 32, args![&out]);
            let wanted: Vec<f32> = (0..32).map(|i| (i % 16 + 1 + 42 + run) as f32).collect();
            assert_eq!(out.read::<f32>().unwrap(), wanted, "{}", b.label);
        }
        let (address, size) = b.module.symbol("gvar").unwrap();
        assert_eq!((size, address % 4), (4, 0));
    });
}

#[test]
fn virtual_calls_and_function_pointers() {
    each("suite", |b| {
        let x: Vec<f32> = (0..128).map(|i| i as f32).collect();
        let run = |kernel, args: &dyn Fn(&wavetank::Buffer) -> Vec<Arg>| {
            let buffer = b.device.buffer_from(&x).unwrap();
            b.run(kernel, 128, 128, args(&buffer));
            buffer.read::<f32>().unwrap()
        };
        let got = run("_Z9k_virtualPfi", &|o| args![o, 0]);
        let wanted: Vec<f32> = x
            .iter()
            .map(|v| if v % 2.0 == 1.0 { v * 3.0 } else { v + 1.0 })
            .collect();
        assert_eq!(got, wanted, "{}", b.label);
        let got = run("_Z6k_fptrPf", &|o| args![o]);
        let wanted: Vec<f32> = x
            .iter()
            .map(|v| if v % 2.0 == 1.0 { v * v } else { v + 1.0 })
            .collect();
        assert_eq!(got, wanted, "{}", b.label);
    });
}

#[test]
fn recursion() {
    each("suite", |b| {
        let out = b.device.buffer_zeroed(4 * 64).unwrap();
        b.run("_Z9k_recursePi", 64, 64, args![&out]);
        // Ackermann's function: A(2, n) = 2n + 3.
        let wanted: Vec<i32> = (0..64).map(|n| 2 * (n & 3) + 3).collect();
        assert_eq!(out.read::<i32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn clocks_run_forward() {
    each("suite", |b| {
        let out = b.device.buffer_zeroed(8 * 128).unwrap();
        b.run("_Z7k_clockPx", 64, 64, args![&out]);
        let first = out.read::<u64>().unwrap();
        b.run("_Z7k_clockPx", 64, 64, args![&out]);
        let second = out.read::<u64>().unwrap();
        assert!(
            first[0] < second[0] && first[64] < second[64],
            "{}",
            b.label
        );
    });
}

#[test]
fn math_library() {
    each("suite", |b| {
        let x: Vec<f64> = (1..=64).map(|n| f64::from(n) / 16.0).collect();
        let u: Vec<f32> = (1..=64).map(|n| n as f32 / 16.0).collect();
        let inputs = [
            b.device.buffer_from(&x).unwrap(),
            b.device.buffer_from(&u).unwrap(),
        ];
        let y = b.device.buffer_zeroed(512).unwrap();
        let v = b.device.buffer_zeroed(256).unwrap();
        b.run(
            "_Z6k_mathPKdPdPKfPf",
            64,
            64,
            args![&inputs[0], &y, &inputs[1], &v],
        );
        let double =
            |x: &f64| x.sin() + x.exp() + x.powf(1.5) + erf(*x) + ln_gamma(*x) + x.sqrt().recip();
        let wanted: Vec<f64> = x.iter().map(double).collect();
        close(&b.label, &y.read::<f64>().unwrap(), &wanted, 1e-13, 1e-13);
        let single = |x: &f64| {
            let fast = x.sin() + x.exp() + x.ln();
            fast + x.sin() + x.powf(2.2) + x.cbrt().recip() + bessel_j0(*x) + normal_cdf(*x)
        };
        let wanted: Vec<f64> = x.iter().map(single).collect();
        close(
            &b.label,
            &wide(&v.read::<f32>().unwrap()),
            &wanted,
            3e-6,
            3e-6,
        );
    });
}

/// Abramowitz and Stegun 7.1.6.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp() * sum
}

fn normal_cdf(x: f64) -> f64 {
    0.5 * (1.0 + erf(x / std::f64::consts::SQRT_2))
}

/// Stirling's series (Abramowitz and Stegun 6.1.41) after shifting the argument above 20.
fn ln_gamma(x: f64) -> f64 {
    let (mut z, mut shift) = (x, 0.0);
    while z < 20.0 {
        shift += z.ln();
        z += 1.0;
    }
    let series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5));
    (z - 0.5) * z.ln() - z + 0.5 * std::f64::consts::TAU.ln() + series - shift
}

/// The power series (Abramowitz and Stegun 9.1.10).
fn bessel_j0(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..60 {
        term *= -x * x / 4.0 / f64::from(k * k);
        sum += term;
    }
    sum
}

#[test]
fn fences() {
    each("suite", |b| {
        let d = b.device.buffer_zeroed(4 * 20).unwrap();
        let flag = b.device.buffer_zeroed(4).unwrap();
        b.run("_Z13k_threadfencePiS_", 20 * 64, 64, args![&d, &flag]);
        assert_eq!(
            d.read::<i32>().unwrap(),
            (0..20).collect::<Vec<_>>(),
            "{}",
            b.label
        );
        assert_eq!(flag.read::<i32>().unwrap(), [20 * 64]);
    });
}

#[test]
fn groups_of_1024() {
    each("suite", |b| {
        let x = Numbers::new(45).many(1024, |r| (r.u32() % 1000) as i32);
        let buffer = b.device.buffer_from(&x).unwrap();
        b.run("_Z6k_1024Pi", 1024, 1024, args![&buffer]);
        let odd = x.iter().filter(|v| **v & 1 != 0).count() as i32;
        let wanted: Vec<i32> = x.iter().rev().map(|v| v + odd).collect();
        assert_eq!(buffer.read::<i32>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn block_primitives() {
    each("prim", |b| {
        let x = Numbers::new(46).many(512, |r| (r.u32() % 1000) as i32);
        let input = b.device.buffer_from(&x).unwrap();
        let out = b.device.buffer_zeroed(2048).unwrap();
        b.run("_Z12k_block_scanPKiPi", 512, 256, args![&input, &out]);
        let mut wanted = x.clone();
        for block in wanted.chunks_mut(256) {
            (1..256).for_each(|i| block[i] += block[i - 1]);
        }
        assert_eq!(out.read::<i32>().unwrap(), wanted, "{}", b.label);

        let f = Numbers::new(47).many(1024, |r| r.f32(-100.0, 100.0));
        let buffer = b.device.buffer_from(&f).unwrap();
        b.run("_Z12k_block_sortPf", 256, 256, args![&buffer]);
        let mut wanted = f.clone();
        wanted.sort_by(f32::total_cmp);
        assert_eq!(buffer.read::<f32>().unwrap(), wanted, "{}", b.label);

        let buffer = b.device.buffer_from(&x[..256]).unwrap();
        b.run("_Z13k_warp_reducePi", 256, 256, args![&buffer]);
        let got = buffer.read::<i32>().unwrap();
        for (n, wave) in x[..256].chunks(64).enumerate() {
            // Only the first lane's result is defined.
            assert_eq!(got[64 * n], wave.iter().sum::<i32>(), "{}", b.label);
        }
    });
}

/// Each work-item stores the size of the grid, all meet, then each adds what the first stored. That one adds as well: the
/// others see its value before or after.
#[test]
fn cooperative_groups() {
    each("coop", |b| {
        let groups = 40;
        let size = groups * 128;
        let out = b
            .device
            .buffer_from(&vec![0x1000_0000; size as usize])
            .unwrap();
        let kernel = b.module.kernel("_Z6k_gridPi").unwrap();
        let dispatch = |cooperative| {
            let d = kernel.dispatch().grid(size as u32).block(128).arg(&out);
            d.cooperative(cooperative).timeout(Duration::from_secs(1))
        };
        // Its barrier is not set up: the first wave passes, the others wait for it.
        let hang = dispatch(false).run().unwrap_err().to_string();
        assert!(hang.contains("waits for other work-groups"), "{hang}");

        // A second one finds the barrier as the first left it.
        for _ in 0..2 {
            let d = dispatch(true).timeout(Duration::from_secs(60));
            d.run().unwrap_or_else(|e| panic!("{}: {e}", b.label));
            let got = out.read::<i32>().unwrap();
            assert_eq!(got[0], 2 * size, "{}", b.label);
            let fits = |v: &i32| [2 * size, 3 * size].contains(v);
            assert!(got.iter().all(fits), "{}: {got:?}", b.label);
        }

        let d = kernel.dispatch().grid(1 << 24).block(128).arg(&out);
        let refused = d.cooperative(true).run().unwrap_err();
        assert!(
            matches!(refused, Error::Cooperative { groups: 131_072, resident, .. } if resident < 4096),
            "{refused}"
        );
    });
}

#[test]
fn tiles_of_a_group() {
    each("coop", |b| {
        let x: Vec<i32> = (0..64).map(|i| i * i).collect();
        let buffer = b.device.buffer_from(&x).unwrap();
        b.run("_Z6k_tilePi", 64, 64, args![&buffer]);
        let down = |i: usize| if i % 16 == 15 { x[i] } else { x[i + 1] };
        let wanted: Vec<i32> = (0..64).map(down).collect();
        assert_eq!(buffer.read::<i32>().unwrap(), wanted, "{}", b.label);
    });
}
