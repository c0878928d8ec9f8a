//! Bytes that are chosen by selectors of every kind, and averages.

use super::control_flow::inst;
use super::engine::levels;
use super::fusion::check;
use super::world::{Random, World};

#[test]
fn bytes_are_chosen_by_every_selector() {
    let world = World::new();
    let mut random = Random::of(0x0062_7974_6573);
    for _ in 0..400 {
        // Selectors below 16 in every byte, of lanes and of scalar registers.
        let code: Vec<_> = [
            "v_and_b32 v4, 0x0f0f0f0f, v4",
            "s_and_b32 s4, s4, 0x0f0f0f0f",
            "v_perm_b32 v5, v0, v1, v4",
            "v_perm_b32 v6, v2, v3, s4",
            "v_perm_b32 v7, s5, v3, v4",
            "v_lerp_u8 v8, v0, v1, v2",
            "v_lerp_u8 v9, v5, v6, s6",
        ]
        .map(inst)
        .into();
        let seed = random.next();
        for simd in levels() {
            check(&world, &code, seed, *simd, 1);
        }
    }
}
