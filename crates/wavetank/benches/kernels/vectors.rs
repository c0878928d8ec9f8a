//! Kernels of `data/bench.cl` with AVX-512, as a programmer would write them for the processor: 16 work-items a register.

use std::arch::x86_64::{
    __m512, _mm512_add_ps, _mm512_fmadd_ps, _mm512_fnmadd_ps, _mm512_load_ps, _mm512_mul_ps,
    _mm512_rsqrt14_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_store_ps, _mm512_sub_ps,
};
use std::hint::black_box;

use crate::native::{Args, Line};

/// Registers of work-items that take turns in a loop. The eight chains of `fmaloop` are just what keeps two units with a
/// latency of four cycles busy; with another eight neither waits, and all of them fit into the 32 registers. Three such tiles
/// did no more.
const TILES: usize = 2;

/// Registers for the coordinates of 16 bodies.
type Space = [__m512; 3];

#[target_feature(enable = "avx512f")]
pub(super) fn vadd(args: &Args, first: usize, out: &mut [Line]) {
    let [a, b] = [0, 1].map(|n| &args.inputs[n][first..][..out.len()]);
    for ((c, a), b) in out.iter_mut().zip(a).zip(b) {
        store(c, _mm512_add_ps(load(a), load(b)));
    }
}

#[target_feature(enable = "avx512f")]
pub(super) fn fmaloop(args: &Args, first: usize, out: &mut [Line]) {
    let (all, rest) = out.as_chunks_mut::<TILES>();
    assert!(rest.is_empty(), "a piece is of whole tiles");
    for (n, lines) in all.iter_mut().enumerate() {
        let line = first + n * TILES;
        let sums = chains(args.values[0], [scaled(line), scaled(line + 1)]);
        for (line, sum) in lines.iter_mut().zip(sums) {
            store(line, sum);
        }
    }
}

/// `x` of the work-items whose results are in that line.
#[target_feature(enable = "avx512f")]
fn scaled(line: usize) -> __m512 {
    let numbers = Line(std::array::from_fn(|n| (16 * line + n) as f32));
    _mm512_mul_ps(load(&numbers), _mm512_set1_ps(1e-7))
}

/// The loop of `fmaloop` and the sum of its chains, in the order of the source.
#[target_feature(enable = "avx512f")]
fn chains(rounds: u32, x: [__m512; TILES]) -> [__m512; TILES] {
    // Neither the number of turns nor the factor is known when this is compiled.
    let (rounds, y) = black_box((rounds, 0.999));
    let y = _mm512_set1_ps(y);
    let mut chains = x.map(|x| [x; 8]);
    for tile in &mut chains {
        for (n, a) in tile.iter_mut().enumerate().skip(1) {
            *a = _mm512_add_ps(*a, _mm512_set1_ps(n as f32));
        }
    }
    for _ in 0..rounds {
        for (tile, x) in chains.iter_mut().zip(x) {
            for a in tile {
                *a = _mm512_fmadd_ps(*a, y, x);
            }
        }
    }
    let mut sums = x;
    for (sum, [first, others @ ..]) in sums.iter_mut().zip(chains) {
        *sum = first;
        for a in others {
            *sum = _mm512_add_ps(*sum, a);
        }
    }
    sums
}

/// A line holds four bodies, and so a register's worth of results is four lines.
#[target_feature(enable = "avx512f")]
pub(super) fn nbody(args: &Args, first: usize, out: &mut [Line]) {
    let bodies = &args.inputs[0];
    let (all, rest) = out.as_chunks_mut::<{ 4 * TILES }>();
    assert!(rest.is_empty(), "a piece is of whole tiles");
    for (n, lines) in all.iter_mut().enumerate() {
        let ours = &bodies[first + n * 4 * TILES..][..4 * TILES];
        let me = [positions(&ours[..4]), positions(&ours[4..])];
        let sums = accelerations(bodies, me);
        for (lines, sum) in lines.chunks_exact_mut(4).zip(sums) {
            put(lines, sum);
        }
    }
}

/// What all bodies do to those at `me`.
#[target_feature(enable = "avx512f")]
fn accelerations(bodies: &[Line], me: [Space; TILES]) -> [Space; TILES] {
    let mut sums = [[_mm512_setzero_ps(); 3]; TILES];
    for line in black_box(bodies) {
        for other in line.0.as_chunks::<4>().0 {
            let [x, y, z, w] = other.map(|number| _mm512_set1_ps(number));
            for (sum, me) in sums.iter_mut().zip(me) {
                *sum = attracted(*sum, me, [x, y, z], w);
            }
        }
    }
    sums
}

/// A turn of the loop of `nbody`. The square root is what the processor estimates, with Newton's step, which costs less than
/// a root and a division and leaves an error of about a rounding.
#[target_feature(enable = "avx512f")]
fn attracted(sum: Space, me: Space, other: Space, mass: __m512) -> Space {
    let [dx, dy, dz] = [0, 1, 2].map(|n| _mm512_sub_ps(other[n], me[n]));
    let d2 = _mm512_fmadd_ps(dz, dz, _mm512_set1_ps(1e-4));
    let d2 = _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, d2));
    let guess = _mm512_rsqrt14_ps(d2);
    let half = _mm512_mul_ps(_mm512_mul_ps(d2, guess), _mm512_set1_ps(0.5));
    let r = _mm512_mul_ps(guess, _mm512_fnmadd_ps(half, guess, _mm512_set1_ps(1.5)));
    let w = _mm512_mul_ps(_mm512_mul_ps(_mm512_mul_ps(mass, r), r), r);
    let [ax, ay, az] = sum;
    [
        _mm512_fmadd_ps(dx, w, ax),
        _mm512_fmadd_ps(dy, w, ay),
        _mm512_fmadd_ps(dz, w, az),
    ]
}

/// Coordinates of the 16 bodies of four lines.
#[target_feature(enable = "avx512f")]
fn positions(lines: &[Line]) -> Space {
    let of = |axis: usize| {
        let mut numbers = Line::default();
        for (body, number) in numbers.0.iter_mut().enumerate() {
            *number = lines[body / 4].0[body % 4 * 4 + axis];
        }
        load(&numbers)
    };
    [of(0), of(1), of(2)]
}

/// The results of 16 bodies in four lines; the fourth number of each is nought.
#[target_feature(enable = "avx512f")]
fn put(lines: &mut [Line], sum: Space) {
    lines.fill(Line::default());
    for (axis, numbers) in sum.into_iter().enumerate() {
        let mut line = Line::default();
        store(&mut line, numbers);
        for (body, number) in line.0.into_iter().enumerate() {
            lines[body / 4].0[body % 4 * 4 + axis] = number;
        }
    }
}

#[target_feature(enable = "avx512f")]
fn load(line: &Line) -> __m512 {
    // SAFETY: a line is as long and as aligned as a register.
    unsafe { _mm512_load_ps(line.0.as_ptr()) }
}

#[target_feature(enable = "avx512f")]
fn store(line: &mut Line, numbers: __m512) {
    // SAFETY: as above.
    unsafe { _mm512_store_ps(line.0.as_mut_ptr(), numbers) }
}
