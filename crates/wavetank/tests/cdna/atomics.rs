//! Atomics on floats, in memory and in LDS.

use wavetank::Chip;

use super::each;
use crate::common::Numbers;

#[test]
fn sums_and_extremes() {
    each("f64_atomics", |b| {
        let has_doubles = b.device.chip() != Chip::Gfx908;
        let groups = 3usize;
        // Sums stay below 2^24, and are exact in single precision in any order.
        let input: Vec<i32> =
            Numbers::new(120).many(64 * groups, |r| (r.u32() % 40001) as i32 - 20000);
        let doubles: Vec<f64> = input.iter().map(|v| f64::from(*v)).collect();
        let start = [1.0, 5.0, -5.0, -7.0, 9.0, 9.0, 9.0, 9.0];
        let p = b.device.buffer_from(&start).unwrap();
        let q = b.device.buffer_from(&[100f32, 3.0]).unwrap();
        let values = b.device.buffer_from(&doubles).unwrap();
        let grid = 64 * groups as u32;
        b.run("f64_atomics", grid, 64, args![&p, &q, &values]);
        let sum = f64::from(input.iter().sum::<i32>());
        assert_eq!(
            q.read::<f32>().unwrap(),
            [100.0 + sum as f32, 3.0],
            "{}",
            b.label
        );
        let of_group = |g: usize| f64::from(input[64 * g..][..64].iter().sum::<i32>());
        let [least, most] =
            [input.iter().min(), input.iter().max()].map(|v| f64::from(*v.unwrap()));
        let wanted = if has_doubles {
            [
                1.0 + sum,
                least.min(5.0),
                most.max(-5.0),
                -7.0 + sum,
                of_group(0),
                of_group(1),
                of_group(2),
                9.0,
            ]
        } else {
            start
        };
        assert_eq!(p.read::<f64>().unwrap(), wanted, "{}", b.label);
    });
}

/// Sums of denormals: single precision flushes them before gfx942, double precision keeps them on every chip.
#[test]
fn denormals() {
    each("f64_atomics", |b| {
        let chip = b.device.chip();
        let run = |v: f64, p: [f64; 5], q: f32| {
            let mut lanes = [0.0; 64];
            lanes[7] = v;
            let p = b.device.buffer_from(&p).unwrap();
            let q = b.device.buffer_from(&[q]).unwrap();
            let values = b.device.buffer_from(&lanes).unwrap();
            b.run("f64_atomics", 64, 64, args![&p, &q, &values]);
            (p.read::<f64>().unwrap(), q.read::<f32>().unwrap()[0])
        };
        let single = f32::from_bits(5);
        let (_, sum) = run(single.into(), [0.0; 5], f32::from_bits(3));
        let wanted = if chip == Chip::Gfx942 { 8 } else { 0 };
        assert_eq!(sum.to_bits(), wanted, "{}: single precision", b.label);
        if chip != Chip::Gfx908 {
            let [five, three, eight] = [5, 3, 8].map(f64::from_bits);
            let (sums, _) = run(five, [three, three, three, three, 0.0], 0.0);
            // The least is one of the zeros of the other lanes.
            assert_eq!(sums, [eight, 0.0, five, eight, five], "{}", b.label);
        }
    });
}
