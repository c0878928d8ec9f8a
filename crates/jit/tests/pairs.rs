//! Pairs of registers that overlap by one: what is read is what was there before.

use super::control_flow::inst;
use super::engine::levels;
use super::fusion::{blocks, check};
use super::world::{Random, World};

/// An operation of 64 bits, on registers that others of them have too.
fn line(random: &mut Random) -> String {
    let [a, b, c] = [(); 3].map(|()| random.below(6));
    let pair = |n: usize| format!("v[{n}:{}]", n + 1);
    let (a2, b2, c2) = (pair(a), pair(b), pair(c));
    match random.below(7) {
        0 => format!("v_ashrrev_i64 {a2}, 0, {b2}"),
        1 => format!("v_lshlrev_b64 {a2}, v{b}, {c2}"),
        2 => format!("v_add_f64 {a2}, {b2}, {c2}"),
        3 => format!("v_fma_f64 {a2}, {b2}, {c2}, {a2}"),
        4 => format!("v_mad_u64_u32 {a2}, vcc, v{b}, v{c}, {b2}"),
        5 => format!("v_mov_b32 v{a}, v{b}"),
        _ => format!("v_add_f32 v{a}, v{b}, v{c}"),
    }
}

#[test]
fn pairs_that_overlap_are_read_before_they_are_written() {
    let world = World::new();
    let mut random = Random::of(0x0070_6169_7273);
    for _ in 0..blocks() / 5 {
        let lines = 1 + random.below(10);
        let code: Vec<_> = (0..lines).map(|_| inst(&line(&mut random))).collect();
        let seed = random.next();
        for simd in levels() {
            check(&world, &code, seed, *simd, 1);
        }
    }
}
