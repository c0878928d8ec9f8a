//! Fused multiply-adds a second of one thread, which matrix instructions are compared with.

use std::hint::black_box;
use std::time::Instant;

use wavetank_matrix::Level;

/// Seconds of a call: the fastest of some rounds.
pub(crate) fn seconds(mut call: impl FnMut()) -> f64 {
    let mut calls = 1u32;
    let mut best = f64::INFINITY;
    for round in 0..12 {
        let start = Instant::now();
        for _ in 0..calls {
            call();
        }
        let elapsed = start.elapsed().as_secs_f64();
        if round > 0 {
            best = best.min(elapsed / f64::from(calls));
        } else {
            // Rounds of about three milliseconds.
            calls = (3e-3 / elapsed.max(1e-9)).clamp(1.0, 1e6) as u32;
        }
        if round == 1 {
            calls = (3e-3 / best).clamp(1.0, 1e6) as u32;
        }
    }
    best
}

/// Chains of fused multiply-adds, enough of them that none waits for another, with a load and a store for sixteen.
#[inline(always)]
fn chains(values: &mut [f32; 256], a: f32, b: f32) {
    for value in values {
        for _ in 0..16 {
            *value = value.mul_add(a, b);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn chains_avx512(values: &mut [f32; 256], a: f32, b: f32) {
    chains(values, a, b);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn chains_avx2(values: &mut [f32; 256], a: f32, b: f32) {
    chains(values, a, b);
}

/// Fused multiply-adds a second in registers.
pub(crate) fn peak(level: Level) -> f64 {
    let mut values = [1.0; 256];
    let time = seconds(|| {
        let (a, b) = (black_box(0.5), black_box(0.5));
        match level.or_best() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `or_best` gives levels that the processor has.
            Level::Avx512 => unsafe { chains_avx512(&mut values, a, b) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 => unsafe { chains_avx2(&mut values, a, b) },
            _ => chains(&mut values, a, b),
        }
        black_box(&mut values);
    });
    256.0 * 16.0 / time
}
