//! Loops of AVX-512, as a programmer would write them.

use std::arch::x86_64::{
    __m512, __m512i, _mm512_add_epi32, _mm512_fmadd_ps, _mm512_set1_epi32, _mm512_set1_ps,
};
use std::hint::black_box;

use super::COPIES;

/// Vectors of the host that 64 lanes are.
const TILES: usize = 4;

#[target_feature(enable = "avx512f")]
pub(super) fn independent_sums(passes: u32) {
    let one = black_box(_mm512_set1_epi32(1));
    for _ in 0..TILES {
        let mut sums: [__m512i; COPIES] = [one; COPIES];
        for _ in 0..passes {
            for sum in &mut sums {
                *sum = kept(_mm512_add_epi32(*sum, one));
            }
        }
        black_box(sums);
    }
}

#[target_feature(enable = "avx512f")]
pub(super) fn chained_sums(passes: u32) {
    let one = black_box(_mm512_set1_epi32(1));
    let mut sums: [__m512i; TILES] = [one; TILES];
    for _ in 0..passes {
        for _ in 0..COPIES {
            for sum in &mut sums {
                *sum = kept(_mm512_add_epi32(*sum, one));
            }
        }
    }
    black_box(sums);
}

#[target_feature(enable = "avx512f")]
pub(super) fn chained_fma(passes: u32) {
    let [a, b] = black_box([_mm512_set1_ps(0.5), _mm512_set1_ps(1.25)]);
    let mut sums: [__m512; TILES] = [b; TILES];
    for _ in 0..passes {
        for _ in 0..COPIES {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, a, b);
            }
        }
    }
    black_box(sums);
}

/// A sum that the compiler cannot fold with the next one, in the register that it is in.
#[target_feature(enable = "avx512f")]
fn kept(mut sum: __m512i) -> __m512i {
    // SAFETY: there is nothing in it.
    unsafe { std::arch::asm!("/* {0} */", inout(zmm_reg) sum, options(pure, nomem, nostack)) };
    sum
}
