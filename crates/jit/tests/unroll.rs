//! Several turns of a loop as one piece: what they leave, and where the turn of a wave ends, is what one turn after another
//! leaves.

use wavetank_gcn::Inst;
use wavetank_interp::{Plain, PlainProgram, Simd, Translation};
use wavetank_jit::Jitted;
use wavetank_machine::Backend;
use wavetank_memory::Wave;

use super::control_flow::{arithmetic, inst};
use super::engine::{compiler, levels};
use super::fusion::blocks;
use super::world::{Outcome, Random, World, crowd, difference, source};

/// What a loop counts in, which nothing else is crowded on.
const COUNTER: &str = "s40";

/// What closes a loop: something that is done to its counter, and what must be true of it for another turn.
const ENDS: [[&str; 3]; 9] = [
    ["s_sub_u32 s40, s40, 1", "s_cmp_lg_u32 s40, 0", "scc1"],
    ["s_add_i32 s40, s40, -1", "s_cmp_eq_u32 s40, 0", "scc0"],
    ["s_addk_i32 s40, 0x7", "s_cmp_lt_i32 s40, 0x51", "scc1"],
    ["s_lshr_b32 s40, s40, 1", "s_cmp_gt_u32 s40, 1", "scc1"],
    ["s_mul_i32 s40, s40, 5", "s_bitcmp0_b32 s40, 8", "scc1"],
    [
        "s_bcnt1_i32_b32 s41, s40",
        "s_and_b32 s40, s40, 0x7ffffffe",
        "scc1",
    ],
    // Half of a pair that was written.
    [
        "s_lshr_b64 s[40:41], s[40:41], 1",
        "s_cmp_lg_u32 s40, 0",
        "scc1",
    ],
    // Nothing keeps it from going on for ever, and only the lanes determine how long it goes on.
    ["s_sub_u32 s40, s40, 1", "s_cmp_lg_u32 s41, s42", "scc1"],
    ["s_sub_u32 s40, s40, 1", "v_cmp_lt_u32 vcc, v0, v1", "vccnz"],
];

/// A loop of one block, with something before it and after.
fn program(random: &mut Random, bodies: &[Inst]) -> Vec<Inst> {
    let mut body = |code: &mut Vec<Inst>, most: usize| {
        for _ in 0..random.below(most) {
            let inst = bodies[random.below(bodies.len())];
            code.push(crowd(inst, random));
        }
    };
    let mut code = Vec::new();
    body(&mut code, 3);
    let first = code.len() + 1;
    let mut inner = Vec::new();
    body(&mut inner, 7);
    let mut after_body = Vec::new();
    body(&mut after_body, 4);
    let [step, compare, on] = ENDS[random.below(ENDS.len())];
    code.push(inst(&format!("s_movk_i32 {COUNTER}, {}", random.below(60))));
    code.extend(inner);
    // The counter steps anywhere in the turn.
    let at = first + random.below(code.len() - first + 1);
    code.insert(at, inst(step));
    code.push(inst(compare));
    // Two dwords an instruction.
    let distance = (first as i64 - code.len() as i64 - 1) * 2;
    code.push(inst(&format!("s_cbranch_{on} {distance}")));
    code.extend(after_body);
    code.push(inst("s_endpgm"));
    code
}

/// What a run leaves: how it ended, memory, the wave; and of how many loops several turns were compiled.
type Left = (Outcome, Wave, u64);

fn run(world: &World, backend: &mut dyn Backend, seed: u64, budget: i64) -> (Outcome, Wave) {
    let mut wave = [world.start(seed, 0, budget)];
    let outcome = world.run(backend, &mut wave, 0);
    let [wave] = wave;
    (outcome, wave)
}

fn compiled(world: &World, code: &[Inst], seed: u64, simd: Simd, budget: i64) -> Left {
    // Counting is compared too, for half of them.
    let (count, step, instrumented) = (seed & 1 != 0, false, false);
    let how = Translation {
        count,
        step,
        instrumented,
        simd,
    };
    let jit = compiler(source(code), how, true);
    let (outcome, wave) = run(world, &mut Jitted::new(&jit), seed, budget);
    (outcome, wave, jit.compiled().loops)
}

#[test]
fn unrolled_iterations_are_one_after_another() {
    let (world, bodies) = (World::new(), arithmetic());
    let mut random = Random::of(0x0074_0075_0072_006e);
    let mut loops = 0;
    for _ in 0..blocks() {
        let (code, seed) = (program(&mut random, &bodies), random.next());
        let budget = 1 + random.below(600) as i64;
        let plain = PlainProgram::new(source(&code), seed & 1 != 0);
        let (expected, a) = run(&world, &mut Plain::new(&plain), seed, budget);
        for simd in levels() {
            let (got, b, several) = compiled(&world, &code, seed, *simd, budget);
            let text = || {
                let lines: Vec<_> = code.iter().map(Inst::to_string).collect();
                format!("seed {seed:#x}, budget {budget}:\n  {}", lines.join("\n  "))
            };
            assert_eq!(got, expected, "{}", text());
            assert_eq!(difference(&b, &a), None, "{}", text());
            let (x, y) = (a.uniform(), b.uniform());
            assert_eq!(x.budget, y.budget, "{}", text());
            assert_eq!(x.counts, y.counts, "{}", text());
            assert_eq!(x.lane_count, y.lane_count, "{}", text());
            loops += several;
        }
    }
    let most = u64::from(blocks());
    assert!(levels().is_empty() || loops > most / 8, "{loops} of {most}");
}
