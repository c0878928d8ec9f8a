//! Recorded accesses: compiled code records the runs that the interpreter records, in the same order.

use wavetank_gcn::Inst;
use wavetank_interp::{Interpreter, Program, Simd, Translation};
use wavetank_jit::Jitted;
use wavetank_machine::{Backend, Leave};
use wavetank_memory::{ALIAS, AccessRun, Lds, Registry};

use super::control_flow::inst;
use super::engine::{compiler, levels};
use super::fusion::blocks;
use super::world::{LDS, Random, World, crowd, instructions, source};

/// Runs code twice, and returns the end of each run with the accesses: the second time, the bounds caches have the accessed
/// allocations.
fn run(
    world: &World,
    backend: &mut dyn Backend,
    seed: u64,
    alias: u64,
) -> [(Leave, Vec<AccessRun>); 2] {
    world.with_unit(Registry::new(), alias, |memory| {
        let mut turn = || {
            world.fill();
            memory.set_lds(Lds::new(LDS));
            let mut wave = world.start(seed, alias, 1);
            let leave = backend.run(&mut wave, memory);
            (leave, memory.drain_access_runs())
        };
        [turn(), turn()]
    })
}

/// Runs code interpreted and compiled. Returns whether compiled code accessed a row of all lanes.
fn check(world: &World, code: &[Inst], seed: u64, simd: Simd) -> bool {
    let alias = if seed & 2 != 0 { ALIAS } else { 0 };
    let how = Translation {
        count: false,
        step: false,
        instrumented: true,
        simd,
    };
    let program = Program::new(source(code), how);
    let expected = run(world, &mut Interpreter::new(&program), seed, alias);
    // As for a tool that resumes waves after denied accesses, and for one that does not.
    for registers_observable in [true, false] {
        let jit = compiler(source(code), how, registers_observable);
        let got = run(world, &mut Jitted::new(&jit), seed, alias);
        assert!(jit.compiled().blocks > 0, "nothing was compiled");
        let text: Vec<_> = code.iter().map(Inst::to_string).collect();
        assert_eq!(got, expected, "seed {seed:#x}, {simd:?}: {text:?}");
    }
    let is_row = |run: &AccessRun| run.lanes == 64 && run.step != 0;
    expected[1].1.iter().any(is_row)
}

#[test]
fn every_instruction_is_recorded_alike() {
    let world = World::new();
    let mut random = Random::of(0x0072_6563_6f72_6465);
    for inst in instructions() {
        let crowded = crowd(inst, &mut random);
        let seed = random.next();
        // At one level each, since they are many.
        let simd = levels()[seed as usize % levels().len()];
        check(&world, &[crowded], seed, simd);
    }
}

#[test]
fn random_blocks_are_recorded_alike() {
    let world = World::new();
    let all = instructions();
    let accesses = |inst: &&Inst| {
        let name = inst.to_string();
        let starts = ["global_", "flat_", "buffer_", "ds_", "s_load", "s_waitcnt"];
        starts.iter().any(|start| name.starts_with(start))
    };
    let accesses: Vec<Inst> = all.iter().filter(accesses).copied().collect();
    let mut random = Random::of(0x0061_6363_6573_7365);
    for _ in 0..blocks() {
        let code: Vec<_> = (0..1 + random.below(8))
            .map(|_| {
                let from = [&all, &accesses, &accesses][random.below(3)];
                crowd(from[random.below(from.len())], &mut random)
            })
            .collect();
        let seed = random.next();
        for simd in levels() {
            check(&world, &code, seed, *simd);
        }
    }
}

/// Rows of all lanes, which compiled code makes without helpers, of each size and memory.
#[test]
fn rows_are_recorded_alike() {
    let world = World::new();
    let mut random = Random::of(0x0072_6f77_735f_6f66);
    let mut rows = 0;
    for _ in 0..blocks() {
        let (data, offset) = ("v[0:3]", 16 * random.below(32));
        let data = |dwords: usize| match dwords {
            1 => "v0".to_owned(),
            _ => data.replace('3', &(dwords - 1).to_string()),
        };
        let dwords = 1 + random.below(4);
        let (size, data) = (["", "x2", "x3", "x4"][dwords - 1], data(dwords));
        let code: Vec<_> = (0..1 + random.below(3))
            .map(|_| match random.below(8) {
                0 => format!("global_load_dword{size} {data}, v[20:21], off offset:{offset}"),
                1 => format!("global_store_dword{size} v[20:21], {data}, off offset:{offset}"),
                2 => format!("flat_load_dword{size} {data}, v[20:21]"),
                3 => format!(
                    "buffer_load_dword{size} {data}, v22, s[92:95], 0 offen offset:{offset}"
                ),
                4 => format!("ds_read_b{} {data}, v22 offset:{offset}", 32 * dwords),
                5 => format!("ds_write_b8 v22, v0 offset:{offset}"),
                6 => format!("s_load_dwordx4 s[0:3], s[88:89], {offset:#x}"),
                _ => format!("s_waitcnt vmcnt({})", random.below(4)),
            })
            .map(|text| inst(&text))
            .collect();
        let seed = random.next();
        for simd in levels() {
            rows += u32::from(check(&world, &code, seed, *simd));
        }
    }
    assert!(rows > 10, "{rows} blocks had rows");
}
