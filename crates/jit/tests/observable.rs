//! Dead registers need not be stored where registers are not observable: what a program does to memory and to its scalar
//! registers is the same, whichever of its vector registers are left out.

use wavetank_gcn::Inst;
use wavetank_interp::{Simd, Translation};
use wavetank_jit::Jitted;
use wavetank_memory::{VGPRS, Wave};

use super::control_flow::{branch, division, inst};
use super::engine::{compiler, levels};
use super::fusion::blocks;
use super::world::{Outcome, Random, World, crowd, instructions, source};

/// A budget that only programs spend which do not end.
const BUDGET: i64 = 20_000;

/// What programs consist of between their branches: what computes, crosses lanes, loads and stores.
fn bodies() -> Vec<Inst> {
    let kinds = [
        "v_",
        "ds_read",
        "ds_write",
        "ds_bperm",
        "ds_swizzle",
        "global_load",
        "global_store",
        "buffer_load_dword",
        "buffer_store_dword",
        "scratch_load",
        "scratch_store",
        "s_add",
        "s_cmp",
    ];
    let fits = |inst: &Inst| {
        let text = inst.to_string();
        let known = kinds.iter().any(|kind| text.starts_with(kind));
        known && !text.contains("exec") && !text.contains("lds") && !text.contains("gds")
    };
    instructions().into_iter().filter(fits).collect()
}

/// A program that stores some of its registers before it ends, with all lanes on or those that happen to be.
fn program(random: &mut Random, bodies: &[Inst]) -> Vec<Inst> {
    let length = 8 + random.below(24);
    let mut code = Vec::new();
    while code.len() < length {
        let (from, to) = (code.len(), random.below(length + 1));
        match random.below(12) {
            0..=1 => code.push(branch(random, from, to)),
            2..=3 => code.push(division(random)),
            _ => {
                let inst = bodies[random.below(bodies.len())];
                code.push(crowd(inst, random));
            }
        }
    }
    if random.below(2) == 0 {
        code.push(inst("s_mov_b64 exec, -1"));
    }
    code.push(inst("v_lshlrev_b32_e32 v22, 2, v22"));
    for n in 0..random.below(4) {
        let stored = random.below(7);
        code.push(inst(&format!(
            "ds_write_b32 v22, v{stored} offset:{}",
            4 * n
        )));
    }
    code.push(inst("s_endpgm"));
    code
}

/// What a wave leaves: that it ended, memory, itself.
fn run(
    world: &World,
    code: &[Inst],
    seed: u64,
    simd: Simd,
    registers_observable: bool,
) -> (Outcome, Wave) {
    let (count, step, instrumented) = (false, false, false);
    let how = Translation {
        count,
        step,
        instrumented,
        simd,
    };
    let jit = compiler(source(code), how, registers_observable);
    let mut wave = [world.start(seed, 0, BUDGET)];
    let outcome = world.run(&mut Jitted::new(&jit), &mut wave, 0);
    let [wave] = wave;
    (outcome, wave)
}

#[test]
fn registers_that_are_not_observed_change_nothing_else() {
    let (world, bodies) = (World::new(), bodies());
    let mut random = Random::of(0x005e_ed0f_dead_5705);
    let mut left_out = 0;
    for _ in 0..blocks() / 4 {
        let (code, seed) = (program(&mut random, &bodies), random.next());
        for simd in levels() {
            let (expected, all) = run(&world, &code, seed, *simd, true);
            let (got, some) = run(&world, &code, seed, *simd, false);
            let text = || {
                let lines: Vec<_> = code.iter().map(Inst::to_string).collect();
                format!("seed {seed:#x}:\n  {}", lines.join("\n  "))
            };
            assert_eq!(got.0, expected.0, "{}", text());
            assert!(got.1 == expected.1, "LDS differs; {}", text());
            assert!(got.2 == expected.2, "memory differs; {}", text());
            let (a, b) = (all.uniform(), some.uniform());
            assert_eq!((a.s, a.scc, a.pc), (b.s, b.scc, b.pc), "{}", text());
            left_out += u32::from((0..VGPRS).any(|n| all.vgpr(n) != some.vgpr(n)));
        }
    }
    assert!(
        levels().is_empty() || left_out > blocks() / 16,
        "{left_out}"
    );
}
