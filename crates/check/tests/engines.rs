//! What is added to blocks does the same on every engine: compiled code leaves the registers, the memory and the shadows of both
//! that interpreted code leaves, and notes what that notes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wavetank_check::float::watch;
use wavetank_check::init::follow;
use wavetank_gcn::Inst;
use wavetank_interp::{Interpreter, Program, Simd, Translation};
use wavetank_ir::Block;
use wavetank_jit::{CompileOptions, Jit, Jitted};
use wavetank_machine::{Backend, Leave};
use wavetank_memory::shadow::{DISTANCE, ProbeHit, Undefined};
use wavetank_memory::{ALIAS, Lds, Registry, VGPRS, Wave};
use wavetank_translate::Pass;

use crate::world::{LDS, Random, World, crowd, difference, instructions, source};

/// The shadows of bytes.
fn shadows<'w>((start, bytes): (u64, u64)) -> &'w [AtomicU64] {
    let words = std::ptr::with_exposed_provenance((start ^ DISTANCE) as usize);
    // SAFETY: the registry, or the LDS, has mapped shadows there, which stay mapped.
    unsafe { std::slice::from_raw_parts(words, bytes as usize / 8) }
}

/// Bits of a register or of memory that are undefined: mostly none.
fn bits(random: &mut Random) -> u64 {
    match random.below(16) {
        0 => !0,
        1 => random.next(),
        2 => random.next() & random.next() & random.next(),
        _ => 0,
    }
}

fn fill(words: &[AtomicU64], random: &mut Random) {
    for word in words {
        word.store(bits(random), Ordering::Relaxed);
    }
}

/// Gives a wave shadows, of which some bits are set. EXEC has none.
fn start_shadows(wave: &mut Wave, random: &mut Random) {
    wave.start_shadows(&[0; 128], true, |_| true, VGPRS);
    for n in 0..VGPRS {
        let lanes = wave.shadow_mut(n).expect("it has shadows");
        if random.below(3) == 0 {
            lanes.fill_with(|| bits(random) as u32);
        }
    }
    for n in (0..126).chain([127]) {
        wave.uniform_mut().shadow[n] = bits(random) as u32;
    }
}

/// What two runs have to agree on beside their registers.
#[derive(PartialEq, Debug)]
struct Left {
    leave: Leave,
    lds: Vec<u32>,
    words: Vec<u64>,
    /// The shadows of memory, scratch and LDS.
    shadows: Vec<u64>,
    hits: Vec<ProbeHit>,
    undefined: Vec<Undefined>,
}

/// Runs a block twice on the same start: the second time, the bounds cache has the accessed allocations. Gives the wave and
/// what it has left.
fn run(world: &World, backend: &mut dyn Backend, seed: u64, alias: u64) -> (Wave, Left) {
    let registry = Registry::new();
    registry.keep_shadows().expect("there is room for them");
    world.with_unit(registry, alias, |memory| {
        let mut turn = || {
            let random = &mut Random(seed | 1);
            let mut wave = world.start(seed, alias, 1);
            start_shadows(&mut wave, random);
            world.fill();
            let mut extents = world.extents().to_vec();
            memory.set_lds(Lds::new(LDS));
            memory.lds().keep_shadows().expect("there is room for them");
            extents.push(memory.lds().extent());
            let all = || extents.iter().flat_map(|extent| shadows(*extent));
            extents
                .iter()
                .for_each(|extent| fill(shadows(*extent), random));
            let leave = backend.run(&mut wave, memory);
            let (mut hits, undefined) = memory.take_seen().unwrap_or_default();
            // What is noted may come earlier than it stands in the block.
            hits.sort_by_key(|hit| (hit.pc, hit.about));
            let shadows = all().map(|word| word.load(Ordering::Relaxed)).collect();
            let left = Left {
                leave,
                lds: memory.lds().dwords(),
                words: world.words(),
                shadows,
                hits,
                undefined,
            };
            (wave, left)
        };
        turn();
        turn()
    })
}

/// What differs between the shadows of two waves.
fn difference_of_shadows(a: &mut Wave, b: &mut Wave) -> Option<String> {
    let uniform = (0..128).find(|n| a.uniform().shadow[*n] != b.uniform().shadow[*n]);
    if let Some(n) = uniform {
        return Some(format!("the shadow of s{n}"));
    }
    (0..VGPRS).find_map(|n| {
        let (a, b) = (a.shadow_mut(n)?, b.shadow_mut(n)?);
        let lane = (0..64).find(|lane| a[*lane] != b[*lane])?;
        let (got, expected) = (a[lane], b[lane]);
        Some(format!(
            "the shadow of v{n} lane {lane}: {got:#x}, expected {expected:#x}"
        ))
    })
}

/// Runs code with something added to it, interpreted and compiled. Gives whether anything was noted.
fn check(world: &World, code: &[Inst], pass: &Arc<dyn Pass>, seed: u64, simd: Simd) -> bool {
    let how = Translation {
        count: false,
        step: false,
        instrumented: false,
        simd,
    };
    let program = || Program::new(source(code), how).with_pass(Some(pass.clone()));
    let alias = if seed & 2 != 0 { ALIAS } else { 0 };
    let interpreted = program();
    let (mut expected, a) = run(world, &mut Interpreter::new(&interpreted), seed, alias);
    let count = false;
    let how = CompileOptions {
        count,
        simd,
        registers_observable: true,
        instrumented: false,
    };
    let jit = Jit::new(program(), how, 0).unwrap_or_else(|(_, why)| panic!("{why}"));
    let (mut got, b) = run(world, &mut Jitted::new(&jit), seed, alias);
    assert!(jit.compiled().blocks > 0, "nothing was compiled");
    let text = || {
        let lines: Vec<_> = code.iter().map(Inst::to_string).collect();
        format!("seed {seed:#x}, {simd:?}:\n  {}", lines.join("\n  "))
    };
    assert_eq!(b.leave, a.leave, "{}", text());
    let differs = difference(&got, &expected);
    let differs = differs.or_else(|| difference_of_shadows(&mut got, &mut expected));
    assert_eq!(differs, None, "{}", text());
    assert_eq!(b.hits, a.hits, "{}", text());
    assert_eq!(b.undefined, a.undefined, "{}", text());
    assert!(b == a, "memory or its shadows differ; {}", text());
    !a.hits.is_empty()
}

fn levels() -> &'static [Simd] {
    match Simd::detect() {
        Simd::Avx512 => &[Simd::Avx512, Simd::Avx2],
        Simd::Avx2 => &[Simd::Avx2],
        Simd::Baseline => &[],
    }
}

fn passes() -> [Arc<dyn Pass>; 3] {
    [
        Arc::new(follow),
        Arc::new(watch),
        Arc::new(|block: &Block| follow(&watch(block))),
    ]
}

#[test]
fn every_instruction_is_followed_alike() {
    let world = World::new();
    let mut random = Random::of(0xb175_0f5e_ed5a_11ed);
    let [.., both] = passes();
    for inst in instructions() {
        let seed = random.next();
        let crowded = crowd(inst, &mut random);
        // At one level each, since they are many.
        if let Some(simd) = levels().get(seed as usize % levels().len().max(1)) {
            check(&world, &[crowded], &both, seed, *simd);
        }
    }
}

#[test]
fn random_blocks_are_followed_alike() {
    let world = World::new();
    let insts = instructions();
    let mut random = Random::of(0x0dd_b175_ca5e_0001);
    let count = std::env::var("WAVETANK_BLOCKS").ok();
    let blocks = count.and_then(|n| n.parse().ok()).unwrap_or(1_000);
    let (passes, mut hits) = (passes(), 0);
    for n in 0..blocks {
        let length = 1 + random.below(8);
        let code: Vec<_> = (0..length)
            .map(|_| crowd(insts[random.below(insts.len())], &mut random))
            .collect();
        let seed = random.next();
        for simd in levels() {
            // Most follow, since that is most of it.
            let pass = &passes[[0, 0, 1, 2][n % 4]];
            hits += u32::from(check(&world, &code, pass, seed, *simd));
        }
    }
    assert!(levels().is_empty() || hits > 0, "no probe hit");
}
