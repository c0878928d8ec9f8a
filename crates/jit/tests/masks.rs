//! Masks that tiles compute, written one over the other.

use super::control_flow::inst;
use super::engine::levels;
use super::fusion::check;
use super::world::{Random, World};

/// More masks than general registers gather, some of them written again: the last value is kept.
#[test]
fn the_last_of_several_masks_is_kept() {
    let world = World::new();
    let mut random = Random::of(0x006d_6173_6b73);
    for _ in 0..500 {
        let code: Vec<_> = (0..3 + random.below(6))
            .map(|_| {
                let relation = ["lt", "eq", "ge", "ne"][random.below(4)];
                let [a, b] = [random.below(7), random.below(7)];
                let to = [8, 10, 12, 106, 126][random.below(5)];
                inst(&format!(
                    "v_cmp_{relation}_u32_e64 {}, v{a}, v{b}",
                    pair(to)
                ))
            })
            .collect();
        let seed = random.next();
        for simd in levels() {
            check(&world, &code, seed, *simd, 1);
        }
    }
}

/// The name of the pair of scalar registers that begins with one.
fn pair(first: u32) -> String {
    match first {
        106 => "vcc".to_owned(),
        126 => "exec".to_owned(),
        _ => format!("s[{first}:{}]", first + 1),
    }
}
