//! An engine against the plain evaluator on random programs of many blocks: branches forward and back on every condition,
//! lanes that part and meet, calls, and jumps to computed addresses. How far a wave comes with its budget, and where it
//! gives its time slice away, must be the same as well.

use wavetank_gcn::{Chip, Inst, parse};

use super::engine::levels;
use super::fusion::{blocks, check};
use super::world::{Random, World, crowd, instructions};

/// What code a program has for an instruction: two dwords each (`check` in `fusion.rs`).
const DWORDS: i64 = 2;

pub(crate) fn inst(text: &str) -> Inst {
    parse(text, Chip::Gfx900).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Instructions that compute, without memory: what a program does between its branches.
pub(crate) fn arithmetic() -> Vec<Inst> {
    let computes = |inst: &Inst| {
        let text = inst.to_string();
        let vector = text.starts_with("v_") && !text.contains("readlane");
        let scalar = [
            "s_add", "s_sub", "s_and", "s_or", "s_xor", "s_cmp", "s_lshr", "s_bcnt",
        ];
        let scalar = scalar.iter().any(|name| text.starts_with(name));
        (vector || scalar) && !text.contains("exec") && !text.contains("vskip")
    };
    instructions().into_iter().filter(computes).collect()
}

/// A branch from one instruction to another.
pub(crate) fn branch(random: &mut Random, from: usize, to: usize) -> Inst {
    let name = [
        "s_branch",
        "s_cbranch_scc0",
        "s_cbranch_scc1",
        "s_cbranch_vccz",
        "s_cbranch_vccnz",
        "s_cbranch_execz",
        "s_cbranch_execnz",
    ][random.below(7)];
    let distance = (to as i64 - from as i64 - 1) * DWORDS;
    inst(&format!("{name} {distance}"))
}

/// Masks that divide the lanes, and bring them together.
pub(crate) fn division(random: &mut Random) -> Inst {
    inst(
        [
            "s_and_saveexec_b64 s[20:21], vcc",
            "s_andn2_b64 exec, s[20:21], exec",
            "s_or_b64 exec, exec, s[20:21]",
            "s_mov_b64 exec, -1",
            "v_cmp_lt_u32_e32 vcc, v1, v2",
            "v_cmpx_ne_u32_e32 vcc, v0, v3",
            "s_cmp_eq_u32 s2, s3",
            "s_bitcmp1_b32 s1, 3",
        ][random.below(8)],
    )
}

/// A jump to a computed address, or a call, of four instructions; after a call the callee may return.
fn far(random: &mut Random, from: usize, to: usize) -> [Inst; 4] {
    // S_GETPC_B64 gives the address after itself.
    let distance = (to as i64 - from as i64 - 1) * 4 * DWORDS;
    let sign = if distance < 0 { -1 } else { 0 };
    let jump = ["s_setpc_b64 s[60:61]", "s_swappc_b64 s[62:63], s[60:61]"][random.below(2)];
    [
        inst("s_getpc_b64 s[60:61]"),
        inst(&format!("s_add_u32 s60, s60, {:#x}", distance as u32)),
        inst(&format!("s_addc_u32 s61, s61, {sign}")),
        inst(jump),
    ]
}

fn program(random: &mut Random, arithmetic: &[Inst]) -> Vec<Inst> {
    let length = 12 + random.below(24);
    let mut code = Vec::new();
    while code.len() < length {
        let (from, to) = (code.len(), random.below(length + 1));
        match random.below(16) {
            0..=3 => code.push(branch(random, from, to)),
            4 => code.extend(far(random, from, to)),
            5 if random.below(2) == 0 => code.push(inst("s_setpc_b64 s[62:63]")),
            5..=8 => code.push(division(random)),
            _ => {
                let inst = arithmetic[random.below(arithmetic.len())];
                code.push(crowd(inst, random));
            }
        }
    }
    code.push(inst("s_endpgm"));
    code
}

/// A branch back that is found to be taken every time is one: the time slice of the wave ends there.
#[test]
fn branches_that_are_always_taken() {
    let world = World::new();
    let lines = [
        "v_min3_u16 v1, -16, v0, v2",
        "s_mov_b64 exec, -1",
        "v_cmp_tru_f64_e32 vcc, 1.0, v[6:7]",
        "s_cbranch_vccnz 65528",
        "s_endpgm",
    ];
    let code: Vec<Inst> = lines.into_iter().map(inst).collect();
    for budget in 1..20 {
        for simd in levels() {
            check(&world, &code, 1, *simd, budget);
        }
    }
}

#[test]
fn random_control_flow() {
    let world = World::new();
    let arithmetic = arithmetic();
    let mut random = Random::of(0x0b5e_55ed_c0ff_ee11);
    for _ in 0..blocks() / 2 {
        let code = program(&mut random, &arithmetic);
        let (seed, budget) = (random.next(), 1 + random.below(600) as i64);
        for simd in levels() {
            check(&world, &code, seed, *simd, budget);
        }
    }
}
