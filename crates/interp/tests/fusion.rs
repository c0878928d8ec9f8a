//! An engine against the plain evaluator: random runs of instructions on
//! random states must leave the same state, whatever was fused or compiled.
//! Which engine that is, `engine.rs` of each crate's tests says.

use super::engine::{self, levels};
pub(crate) use super::world::random::blocks;
use super::world::{Random, World, crowd, difference, instructions, source};
use wavetank_gcn::Inst;
use wavetank_interp::{Plain, PlainProgram, Simd, Translation};
use wavetank_machine::Fault;
use wavetank_memory::{ALIAS, Wave, hwreg};

/// Runs code on both, one block of it or as much as a wave does before its budget is used up. Gives whether it faulted before
/// the end of the code.
pub(crate) fn check(world: &World, code: &[Inst], seed: u64, simd: Simd, budget: i64) -> bool {
    let alias = if seed & 2 != 0 { ALIAS } else { 0 };
    let start = || world.start(seed, alias, budget);
    compare(world, code, (seed, simd, alias), &start)
}

/// The same with waves that are given.
pub(crate) fn compare(
    world: &World,
    code: &[Inst],
    (seed, simd, alias): (u64, Simd, u64),
    start: &dyn Fn() -> Wave,
) -> bool {
    let source = source(code);
    let plain = PlainProgram::new(source.clone(), false);
    let how = Translation {
        count: false,
        step: false,
        // Noting what is accessed changes nothing.
        instrumented: seed & 1 != 0,
        simd,
    };
    let (mut expected, mut got) = ([start(), start()], [start(), start()]);
    let a = world.run(&mut Plain::new(&plain), &mut expected, alias);
    let b = engine::with(source, how, |backend| world.run(backend, &mut got, alias));
    let text = || {
        let lines: Vec<_> = code.iter().map(Inst::to_string).collect();
        format!("seed {seed:#x}, {simd:?}:\n  {}", lines.join("\n  "))
    };
    assert_eq!(b.0, a.0, "{}", text());
    if let Some(what) = difference(&got[1], &expected[1]) {
        let mode = start().uniform().hw[usize::from(hwreg::MODE)];
        panic!("{what}\nmode {mode:#x}, {}", text());
    }
    assert!(a.1 == b.1, "LDS differs; {}", text());
    assert!(a.2 == b.2, "memory differs; {}", text());
    matches!(a.0.fault(), Some(Fault::Memory(_)))
}

#[test]
fn every_instruction_alone() {
    let world = World::new();
    let mut random = Random::of(0x9e37_79b9_7f4a_7c15);
    for inst in instructions() {
        let seed = random.next();
        for simd in levels() {
            check(&world, &[inst], seed, *simd, 1);
        }
        let crowded = crowd(inst, &mut random);
        for simd in levels() {
            check(&world, &[crowded], seed, *simd, 1);
        }
    }
}

#[test]
fn random_blocks() {
    let world = World::new();
    let insts = instructions();
    let mut random = Random::of(0x1234_5678_9abc_def1);
    let (blocks, mut faults) = (blocks(), 0);
    for _ in 0..blocks {
        let length = 2 + random.below(9);
        let code: Vec<_> = (0..length)
            .map(|_| {
                let inst = insts[random.below(insts.len())];
                crowd(inst, &mut random)
            })
            .collect();
        let seed = random.next();
        let faulted = levels()
            .iter()
            .map(|simd| check(&world, &code, seed, *simd, 1));
        faults += u32::from(faulted.fold(false, |any, f| any | f));
    }
    // Most accesses are to find memory, or little would be compared.
    assert!(faults < blocks / 4, "{faults} of {blocks} blocks faulted");
    assert!(faults > 0);
}

/// More values at once than a host has registers for, of one kind: what a compiler does for all of a run of operations.
#[test]
fn long_runs_of_arithmetic() {
    let world = World::new();
    let insts = instructions();
    let mut random = Random::of(0x0dd0_5ee5_ca1e_d0e5);
    let kinds = ["_f32", "_f64", "_f16", "_"].map(|kind| {
        let named = |inst: &&Inst| {
            let text = inst.to_string();
            text.starts_with("v_") && text.contains(kind) && !text.starts_with("v_cmpx")
        };
        insts.iter().filter(named).copied().collect::<Vec<_>>()
    });
    for _ in 0..blocks() / 10 {
        let insts = &kinds[random.below(kinds.len())];
        let length = 20 + random.below(40);
        let code: Vec<_> = (0..length)
            .map(|_| crowd(insts[random.below(insts.len())], &mut random))
            .collect();
        let seed = random.next();
        for simd in levels() {
            check(&world, &code, seed, *simd, 1);
        }
    }
}
