//! Records of several dwords: lanes in a row, at one place, each its own way, off, and beyond the records of a buffer.

use wavetank_gcn::Inst;

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

/// Rows of the wave, of which one lane is elsewhere.
#[test]
fn one_lane_is_not_in_the_row() {
    let world = World::new();
    let accesses = [
        (4, "global_load_dword v0, v[20:21], off"),
        (4, "global_store_dword v[20:21], v0, off"),
        (4, "buffer_load_dword v0, v22, s[92:95], 0 offen"),
        (8, "global_load_dwordx2 v[0:1], v[20:21], off"),
        (8, "ds_write_b64 v22, v[0:1]"),
        (16, "global_load_dwordx4 v[0:3], v[20:21], off"),
        (16, "buffer_load_dwordx4 v[0:3], v22, s[92:95], 0 offen"),
        (16, "buffer_store_dwordx4 v[0:3], v22, s[92:95], 0 offen"),
        (16, "ds_write_b128 v22, v[0:3]"),
    ];
    for (bytes, access) in accesses {
        for lane in [0, 1, 15, 16, 40, 48, 63] {
            let lines = [
                "s_mov_b64 exec, -1",
                "v_mbcnt_lo_u32_b32 v24, -1, 0",
                "v_mbcnt_hi_u32_b32 v24, -1, v24",
                &format!("v_mul_u32_u24_e32 v22, {bytes}, v24"),
                &format!("v_add_u32_e32 v23, {}, v22", bytes * 4),
                &format!("v_cmp_eq_u32_e32 vcc, {lane}, v24"),
                "v_cndmask_b32_e32 v22, v22, v23, vcc",
                "v_mov_b32_e32 v21, s89",
                "v_add_co_u32_e32 v20, vcc, s88, v22",
                "v_addc_co_u32_e32 v21, vcc, 0, v21, vcc",
                access,
            ];
            let code: Vec<_> = lines.iter().map(|line| inst(line)).collect();
            for seed in 0..8 {
                for simd in levels() {
                    check(&world, &code, seed, *simd, 1);
                }
            }
        }
    }
}

/// Some code, and then three times an access of v[0:3] by some lanes. It is compiled code from the second time on, when it stores
/// other values.
fn three_times(lines: &[&str], exec: &str, access: &str) -> Vec<Inst> {
    let exec = format!("s_mov_b64 exec, {exec}");
    let then = [
        "s_mov_b32 s82, 0",
        &exec,
        "v_add_u32_e32 v0, 7, v0",
        "v_add_u32_e32 v1, 7, v1",
        "v_add_u32_e32 v2, 7, v2",
        "v_add_u32_e32 v3, 7, v3",
        access,
        "s_add_u32 s82, s82, 1",
        "s_cmp_lt_u32 s82, 3",
        // Two dwords an instruction.
        "s_cbranch_scc1 -16",
        "s_endpgm",
    ];
    lines.iter().chain(&then).map(|line| inst(line)).collect()
}

/// Lanes whose stores overwrite those of lanes before them: at one place, in a row that steps by a dword, or by another step; with
/// all lanes on, without the last ones, or with every third.
#[test]
fn the_last_of_overlapping_stores_stays() {
    let world = World::new();
    let short = [
        "flat_store_dwordx2 v[20:21], v[0:1]",
        "global_store_byte v[20:21], v0, off",
        "global_store_short_d16_hi v[20:21], v0, off",
        "buffer_store_short v0, v22, s[92:95], 0 offen",
        "ds_write_b8 v22, v0",
    ];
    let mut accesses: Vec<String> = short.map(String::from).into();
    for (dwords, n) in (1..).zip(["", "x2", "x3", "x4"]) {
        let data = format!("v[0:{}]", dwords - 1);
        accesses.push(format!("global_store_dword{n} v[20:21], {data}, off"));
        accesses.push(format!(
            "buffer_store_dword{n} {data}, v22, s[92:95], 0 offen"
        ));
        accesses.push(format!("ds_write_b{} v22, {data}", 32 * dwords));
    }
    // The bytes from one tile to the next, and from one lane to the next.
    let steps = [(96, 0), (0, 0), (0, 1), (0, 4), (0, 8), (0, 12), (96, 4)];
    for access in accesses {
        for (tile, lane) in steps {
            for exec in ["-1", "0x7fff7fff", "s[80:81]"] {
                let lines = [
                    "s_mov_b64 exec, -1",
                    "s_mov_b32 s80, 0x49249249",
                    "s_mov_b32 s81, 0x8000",
                    "v_mbcnt_lo_u32_b32 v24, -1, 0",
                    "v_mbcnt_hi_u32_b32 v24, -1, v24",
                    "v_lshrrev_b32_e32 v23, 4, v24",
                    &format!("v_mul_u32_u24_e32 v23, {tile}, v23"),
                    &format!("v_mul_u32_u24_e32 v22, {lane}, v24"),
                    "v_add_u32_e32 v22, v22, v23",
                    "v_mov_b32_e32 v21, s89",
                    "v_add_co_u32_e32 v20, vcc, s88, v22",
                    "v_addc_co_u32_e32 v21, vcc, 0, v21, vcc",
                ];
                let code = three_times(&lines, exec, &access);
                for seed in 1..5 {
                    for simd in levels() {
                        check(&world, &code, seed, *simd, 1000);
                    }
                }
            }
        }
    }
}

/// Scratch at one offset, which a vector register has, and with one lane elsewhere.
#[test]
fn lanes_of_scratch_have_one_offset() {
    let world = World::new();
    let mut accesses = Vec::new();
    for (last, n) in (0..).zip(["", "x2", "x3", "x4"]) {
        let data = format!("v[0:{last}]");
        accesses.push(format!("scratch_load_dword{n} {data}, v22, off offset:4"));
        accesses.push(format!("scratch_store_dword{n} v22, {data}, off offset:4"));
        // In a quarter of the worlds, the descriptor is one of scratch.
        for name in ["load", "store"] {
            accesses.push(format!(
                "buffer_{name}_dword{n} {data}, v22, s[92:95], 0 offen offset:8"
            ));
        }
    }
    for access in accesses {
        // In the middle, at the end of what a lane has, beyond it, and between dwords.
        for offset in [64, 2032, 2044, 2048, 0x0100_0000, 66] {
            for (lane, exec) in [(64, "-1"), (63, "-1"), (0, "-1"), (64, "0x7fff7fff")] {
                let lines = [
                    "s_mov_b64 exec, -1",
                    "v_mbcnt_lo_u32_b32 v24, -1, 0",
                    "v_mbcnt_hi_u32_b32 v24, -1, v24",
                    &format!("v_mov_b32_e32 v22, {offset}"),
                    "v_add_u32_e32 v23, 8, v22",
                    &format!("v_cmp_eq_u32_e32 vcc, {lane}, v24"),
                    "v_cndmask_b32_e32 v22, v22, v23, vcc",
                ];
                let code = three_times(&lines, exec, &access);
                for seed in 0..8 {
                    for simd in levels() {
                        check(&world, &code, seed, *simd, 1000);
                    }
                }
            }
        }
    }
}
