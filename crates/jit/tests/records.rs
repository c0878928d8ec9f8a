//! Records of several dwords: lanes in a row, at one place, each its own way, off, and beyond the records of a buffer.

use super::control_flow::inst;
use super::engine::levels;
use super::fusion::{blocks, check};
use super::world::{Random, World};

/// An access to the memory of the test, by the registers that have its addresses.
fn access(random: &mut Random) -> String {
    let dwords = 2 + random.below(3);
    let data = format!("v[0:{}]", dwords - 1);
    let offset = random.below(1024);
    match random.below(6) {
        0 | 1 => {
            format!("buffer_load_dwordx{dwords} {data}, v22, s[92:95], 0 offen offset:{offset}")
        }
        2 => format!("buffer_store_dwordx{dwords} {data}, v22, s[92:95], 0 offen offset:{offset}"),
        3 => format!("global_load_dwordx{dwords} {data}, v[20:21], off"),
        4 => format!("global_store_dwordx{dwords} v[20:21], {data}, off"),
        _ => {
            let name = ["read", "write"][random.below(2)];
            let [to, from] = match name {
                "read" => [data.as_str(), "v22"],
                _ => ["v22", data.as_str()],
            };
            format!("ds_{name}_b{} {to}, {from} offset:{offset}", 32 * dwords)
        }
    }
}

#[test]
fn records_are_moved_as_the_plain_evaluator_moves_them() {
    let world = World::new();
    let mut random = Random::of(0x0072_6563_6f72_6473);
    for _ in 0..blocks() * 2 / 5 {
        let mut code: Vec<_> = (0..1 + random.below(2))
            .map(|_| inst(&access(&mut random)))
            .collect();
        // Far beyond all records, where the host has nothing.
        if random.below(4) == 0 {
            code.insert(0, inst("v_or_b32 v22, 0x40000000, v22"));
        }
        let seed = random.next();
        for simd in levels() {
            check(&world, &code, seed, *simd, 1);
        }
    }
}
