//! Loop nests with memory: loops of slices that load into the same registers and add products to sums, as products of matrices
//! do, with lanes that part, stores, and compare-and-swap in between. Where registers are not observable they become values; what
//! the program does to memory and to its scalar registers is what the plain evaluator does.

use wavetank_gcn::Inst;
use wavetank_interp::{Plain, PlainProgram, Translation};
use wavetank_jit::Jitted;

use super::control_flow::{division, inst};
use super::engine::{compiler, levels};
use super::fusion::blocks;
use super::world::{LDS, Random, World, source};

/// A budget that such programs do not spend.
const BUDGET: i64 = 1_000_000;
/// The dwords of an instruction in the code of a program.
const DWORDS: i64 = 2;

/// The first of eight registers with sums.
const SUMS: usize = 8;

/// A load into the registers that products take.
fn load(random: &mut Random) -> String {
    let to = 4 * random.below(2);
    let (index, offset) = (22 + random.below(2), 16 * random.below(64));
    let pair = format!("v[{to}:{}]", to + 1);
    match random.below(10) {
        9 => format!(
            "buffer_load_dwordx4 v[{to}:{}], v{index}, s[92:95], 0 offen offset:{offset}",
            to + 3
        ),
        0 => format!("ds_read_b32 v{to}, v{index} offset:{offset}"),
        // Places that other lanes leave out.
        8 => format!("ds_read_b32 v{to}, v{index} offset:{}", offset + 4),
        1..3 => format!("ds_read_b64 {pair}, v{index} offset:{offset}"),
        3..6 => format!("ds_read_b128 v[{to}:{}], v{index} offset:{offset}", to + 3),
        6 => format!(
            "ds_read2_b32 {pair}, v{index} offset0:{} offset1:9",
            random.below(64)
        ),
        _ => format!("global_load_dwordx2 {pair}, v[20:21], off"),
    }
}

/// An operation on what was loaded, mostly a sum.
fn product(random: &mut Random) -> String {
    let (a, b) = (random.below(4), 4 + random.below(4));
    let sum = SUMS + random.below(8);
    let (wide, pair) = (SUMS + 2 * random.below(4), [0, 2][random.below(2)]);
    let wide = format!("v[{wide}:{}]", wide + 1);
    match random.below(8) {
        0..3 => format!("v_fma_f32 v{sum}, v{a}, v{b}, v{sum}"),
        3 => format!("v_mac_f32_e32 v{sum}, v{a}, v{b}"),
        4 => format!("v_fma_f64 {wide}, v[{pair}:{}], v[4:5], {wide}", pair + 1),
        5 => format!("v_pk_fma_f16 v{sum}, v{a}, v{b}, v{sum}"),
        6 => format!("v_add_u32_e32 v{b}, v{a}, v{sum}"),
        _ => format!("v_lshl_add_u32 v{sum}, v{a}, 3, v{b}"),
    }
}

/// What ends a run of loads, or parts the lanes.
fn other(random: &mut Random) -> Inst {
    let offset = 4 * random.below(256);
    let (from, to) = (SUMS + random.below(8), random.below(8));
    match random.below(8) {
        7 => inst(&format!(
            "ds_write_b128 v{}, v[8:11] offset:{offset}",
            22 + random.below(2)
        )),
        0 => inst(&format!(
            "ds_write_b32 v{}, v{from} offset:{offset}",
            22 + random.below(2)
        )),
        1 => inst(&format!(
            "ds_cmpst_rtn_b32 v{to}, v23, v{from}, v{to} offset:{offset}"
        )),
        2 => inst("global_atomic_cmpswap v0, v[20:21], v[0:1], off glc"),
        3 => inst("global_atomic_cmpswap_x2 v[0:1], v[20:21], v[4:7], off glc"),
        4 => inst("v_xor_b32_e32 v22, v23, v22"),
        _ => division(random),
    }
}

fn slices(random: &mut Random, code: &mut Vec<Inst>) {
    let others = random.below(3) == 0;
    for _ in 0..1 + random.below(6) {
        for _ in 0..1 + random.below(3) {
            code.push(inst(&load(random)));
        }
        code.push(inst("s_waitcnt vmcnt(0) lgkmcnt(0)"));
        for _ in 0..1 + random.below(20) {
            code.push(inst(&product(random)));
        }
        if others && random.below(3) == 0 {
            code.push(other(random));
        }
    }
}

/// Counts a register down, and branches back to an instruction until it is 0.
fn again(code: &mut Vec<Inst>, counter: &str, to: usize) {
    code.push(inst(&format!("s_sub_u32 {counter}, {counter}, 1")));
    code.push(inst(&format!("s_cmp_lg_u32 {counter}, 0")));
    let distance = (to as i64 - code.len() as i64 - 1) * DWORDS;
    code.push(inst(&format!("s_cbranch_scc1 {}", distance as u16)));
}

/// Numbers the lanes in v24, and fills the LDS with what registers have.
fn begin() -> Vec<Inst> {
    let mut lines = vec![
        "v_mbcnt_lo_u32_b32 v24, -1, 0".to_owned(),
        "v_mbcnt_hi_u32_b32 v24, -1, v24".to_owned(),
        "v_lshlrev_b32_e32 v25, 4, v24".to_owned(),
    ];
    for n in 0..4 {
        let from = 4 * n;
        lines.push(format!(
            "ds_write_b128 v25, v[{from}:{}] offset:{}",
            from + 3,
            1024 * n
        ));
    }
    lines.iter().map(|line| inst(line)).collect()
}

/// Puts indices into a register, in one of the ways in which lanes read matrices. The number of the lane is in v24.
fn indices(random: &mut Random, to: &str) -> Vec<String> {
    let shift = 2 + random.below(3);
    let (low, high) = (
        format!("v_and_b32_e32 {to}, 15, v24"),
        format!("v_lshrrev_b32_e32 {to}, 4, v24"),
    );
    let by = |shift: usize| format!("v_lshlrev_b32_e32 {to}, {shift}, {to}");
    match random.below(6) {
        0 => vec![low, by(shift)],
        1 => vec![high, by(shift)],
        // A row of the wave, or every second place of one.
        2 => vec![format!("v_lshlrev_b32_e32 {to}, {shift}, v24")],
        // Tiles that are next to each other.
        3 => {
            let (stride, width) = (4 * (1 + random.below(60)), 2 + random.below(2));
            vec![
                "v_and_b32_e32 v25, 15, v24".to_owned(),
                format!("v_mul_u32_u24_e32 v25, {stride}, v25"),
                high,
                format!("v_lshl_add_u32 {to}, {to}, {width}, v25"),
            ]
        }
        // Groups of four lanes.
        4 => vec![
            "v_and_b32_e32 v25, 3, v24".to_owned(),
            format!("v_lshrrev_b32_e32 {to}, 2, v24"),
            format!("v_mul_u32_u24_e32 {to}, {}, {to}", 16 * random.below(15)),
            format!("v_lshl_add_u32 {to}, v25, 4, {to}"),
        ],
        _ => vec![format!(
            "v_mul_u32_u24_e32 {to}, {}, v24",
            4 * random.below(16)
        )],
    }
}

fn program(random: &mut Random) -> Vec<Inst> {
    let mut code = begin();
    if random.below(4) > 0 {
        code.insert(0, inst("s_mov_b64 exec, -1"));
    }
    if random.below(4) > 0 {
        for to in ["v22", "v23"] {
            let lines = indices(random, to);
            code.extend(lines.iter().map(|line| inst(line)));
        }
    }
    code.push(inst(&format!("s_movk_i32 s30, {}", 1 + random.below(3))));
    let outer = code.len();
    code.push(inst(&format!("s_movk_i32 s31, {}", 1 + random.below(5))));
    let inner = code.len();
    slices(random, &mut code);
    // The next slice of a matrix in memory.
    code.push(inst(&format!("s_add_u32 s92, s92, {}", random.below(64))));
    again(&mut code, "s31", inner);
    if random.below(2) == 0 {
        code.push(inst("ds_write_b32 v23, v8 offset:64"));
    }
    again(&mut code, "s30", outer);
    code.push(inst("s_mov_b64 exec, -1"));
    code.push(inst("v_lshlrev_b32_e32 v24, 2, v24"));
    for n in 0..8 {
        code.push(inst(&format!(
            "ds_write_b32 v24, v{} offset:{}",
            SUMS + n,
            256 * n
        )));
    }
    code.push(inst("s_endpgm"));
    code
}

/// Compares compiled code, whose registers are observable or not, with the plain evaluator.
fn compare(world: &World, code: &[Inst], seed: u64) {
    let plain = PlainProgram::new(source(code), false);
    let mut wave = [world.start(seed, 0, BUDGET)];
    let expected = world.run(&mut Plain::new(&plain), &mut wave, 0);
    let [all] = wave;
    let ways = levels()
        .iter()
        .flat_map(|simd| [(simd, false), (simd, true)]);
    for (simd, observable) in ways {
        let how = Translation {
            count: false,
            step: false,
            instrumented: false,
            simd: *simd,
        };
        let jit = compiler(source(code), how, observable);
        let mut wave = [world.start(seed, 0, BUDGET)];
        let got = world.run(&mut Jitted::new(&jit), &mut wave, 0);
        let [some] = wave;
        let text = || {
            let lines: Vec<_> = code.iter().map(Inst::to_string).collect();
            format!("seed {seed:#x}, {simd:?}:\n  {}", lines.join("\n  "))
        };
        assert_eq!(got.0, expected.0, "{}", text());
        assert!(got.1 == expected.1, "LDS differs; {}", text());
        assert!(got.2 == expected.2, "memory differs; {}", text());
        let (a, b) = (all.uniform(), some.uniform());
        assert_eq!((a.s, a.scc, a.pc), (b.s, b.scc, b.pc), "{}", text());
    }
}

#[test]
fn loop_nests_with_memory() {
    let world = World::new();
    let mut random = Random::of(0x6e65_7374_6564_6c70);
    for _ in 0..blocks() / 16 {
        let (code, seed) = (program(&mut random), random.next());
        compare(&world, &code, seed);
    }
}

/// Loads of all forms, and between them the indices take another form.
#[test]
fn indices_that_change_have_another_form() {
    let world = World::new();
    for bytes in [4, 8, 16] {
        for change in [
            "v_xor_b32_e32 v22, v23, v22",
            "v_mov_b32_e32 v22, v23",
            "v_mul_u32_u24_e32 v22, 12, v24",
            "v_lshlrev_b32_e32 v22, 5, v24",
            "v_lshlrev_b32_e32 v22, 3, v24",
            "v_mad_u32_u24 v22, v23, 2, v22",
            "v_mad_u32_u24 v22, v22, 17, v23",
            "ds_read_b32 v22, v25 offset:3328",
            "s_mov_b64 exec, s[2:3]",
        ] {
            let shift = u32::trailing_zeros(bytes);
            let last = |first: u32| first + bytes / 4 - 1;
            let read = |to: u32, from: u32, offset: u32| {
                let to = match bytes {
                    4 => format!("v{to}"),
                    _ => format!("v[{to}:{}]", last(to)),
                };
                format!("ds_read_b{} {to}, v{from} offset:{offset}", 8 * bytes)
            };
            let mut lines = vec![
                "v_and_b32_e32 v22, 15, v24".to_owned(),
                format!("v_lshlrev_b32_e32 v22, {shift}, v22"),
                "v_lshrrev_b32_e32 v23, 4, v24".to_owned(),
                format!("v_lshlrev_b32_e32 v23, {shift}, v23"),
                "v_lshlrev_b32_e32 v25, 2, v24".to_owned(),
                "v_xor_b32_e32 v26, v22, v23".to_owned(),
                "ds_write_b32 v25, v26 offset:3328".to_owned(),
                // In the next block the indices are registers, not values.
                "s_cbranch_scc1 0".to_owned(),
                read(0, 22, 0),
                read(4, 23, 0),
                read(8, 22, 256),
                change.to_owned(),
                read(12, 22, 16),
                read(28, 22, 272),
                read(32, 23, 16),
                "s_mov_b64 exec, -1".to_owned(),
                "v_lshlrev_b32_e32 v24, 2, v24".to_owned(),
            ];
            for (n, first) in [0, 4, 8, 12, 28, 32].into_iter().enumerate() {
                for register in [first, last(first)] {
                    let offset = 512 * n as u32 + if register == first { 0 } else { 256 };
                    lines.push(format!("ds_write_b32 v24, v{register} offset:{offset}"));
                }
            }
            lines.push("s_endpgm".to_owned());
            let mut code = vec![inst("s_mov_b64 exec, -1")];
            code.extend(begin());
            code.extend(lines.iter().map(|line| inst(line)));
            for seed in 1..6 {
                compare(&world, &code, seed);
            }
        }
    }
}

/// Loads of all forms, of which the last lane ends before, at or after the end of the LDS.
#[test]
fn forms_end_where_the_lds_ends() {
    let world = World::new();
    for bytes in [4, 8, 16_u32] {
        let shift = bytes.trailing_zeros();
        let forms = [
            // A row of the wave, every second place of rows, and lanes that go their own way.
            (
                vec![format!("v_lshlrev_b32_e32 v22, {shift}, v24")],
                63 * bytes,
            ),
            (
                vec![format!("v_lshlrev_b32_e32 v22, {}, v24", shift + 1)],
                63 * 2 * bytes,
            ),
            (vec!["v_mul_u32_u24_e32 v22, 44, v24".to_owned()], 63 * 44),
            // Tiles next to each other.
            (
                vec![
                    "v_and_b32_e32 v22, 15, v24".to_owned(),
                    "v_mul_u32_u24_e32 v22, 72, v22".to_owned(),
                    "v_lshrrev_b32_e32 v25, 4, v24".to_owned(),
                    format!("v_lshl_add_u32 v22, v25, {shift}, v22"),
                ],
                15 * 72 + 3 * bytes,
            ),
        ];
        for (form, last) in forms {
            for beyond in [-8, -4, 0, 4, 8] {
                let offset = (LDS - bytes - last).wrapping_add_signed(beyond);
                let mut code = vec![inst("s_mov_b64 exec, -1")];
                code.extend(begin());
                code.extend(form.iter().map(|line| inst(line)));
                // Two of them: loads of one dword have a form if they share it.
                for (to, offset) in [(8, offset), (12, offset - 8)] {
                    let to = match bytes {
                        4 => format!("v{to}"),
                        _ => format!("v[{to}:{}]", to + bytes / 4 - 1),
                    };
                    let bits = 8 * bytes;
                    code.push(inst(&format!("ds_read_b{bits} {to}, v22 offset:{offset}")));
                }
                code.push(inst("v_lshlrev_b32_e32 v24, 2, v24"));
                for n in 0..8 {
                    let line = format!("ds_write_b32 v24, v{} offset:{}", SUMS + n, 256 * n);
                    code.push(inst(&line));
                }
                code.push(inst("s_endpgm"));
                for seed in 1..4 {
                    compare(&world, &code, seed);
                }
            }
        }
    }
}
