//! What allocations cost, and what it costs kernels that there are many: `cargo bench -p wavetank-interp --bench registry`.
//!
//! The ratios are to a load whose lanes all lie in one allocation, the only one there is.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use wavetank_gcn::{Chip, Inst, decode};
use wavetank_interp::{Interpreter, Program, Simd, Translation};
use wavetank_machine::{Backend, Leave};
use wavetank_memory::{MemoryUnit, Registry, Wave};

/// A loop of a load at the lanes' addresses, as LLVM's assembler encodes it.
const LOOP: [u32; 5] = [
    0xdc50_8000, // global_load_dword v4, v[2:3], off
    0x047f_0002,
    0x8080_8100, // s_sub_u32 s0, s0, 1
    0xbf84_fffc, // s_cbranch_scc0 to the load
    0xbf81_0000, // s_endpgm
];

/// Loads of a run.
const LOADS: u32 = 20_000;

fn program() -> Program {
    let bytes: Vec<u8> = LOOP.iter().flat_map(|w| w.to_le_bytes()).collect();
    let source = Arc::new(move |pc: u64| -> Result<Inst, String> {
        let rest = bytes.get(pc as usize..).ok_or("outside the code")?;
        decode(rest, Chip::Gfx900).map_err(|e| e.to_string())
    });
    let how = Translation {
        count: false,
        step: false,
        instrumented: false,
        simd: Simd::detect(),
    };
    Program::new(source, how)
}

/// Nanoseconds of a load whose lanes have these addresses: the fastest of some runs.
fn load(program: &Program, registry: &Registry, address: impl Fn(usize) -> u64) -> f64 {
    let mut memory = MemoryUnit::new(registry);
    let mut wave = Wave::new(0);
    let runs = (0..7).map(|_| {
        for lane in 0..64 {
            wave.vgpr_mut(2)[lane] = address(lane) as u32;
            wave.vgpr_mut(3)[lane] = (address(lane) >> 32) as u32;
        }
        let state = wave.uniform_mut();
        (state.pc, state.s[0], state.budget) = (0, LOADS, i64::MAX);
        let start = Instant::now();
        let leave = Interpreter::new(program).run(&mut wave, &mut memory);
        assert!(matches!(leave, Leave::End(_)));
        start.elapsed().as_nanos() as f64 / f64::from(LOADS + 1)
    });
    runs.fold(f64::INFINITY, f64::min)
}

fn main() {
    let program = program();
    let mut one = None;
    println!("allocations   ns each to make   to free   ns a load: one   of 64 (times the first)");
    for count in [1usize, 100, 100_000] {
        let registry = Registry::new();
        let start = Instant::now();
        let all: Vec<u64> = (0..count)
            .map(|_| {
                registry
                    .allocate("a buffer", 4096, 256)
                    .expect("memory")
                    .address
            })
            .collect();
        let made = start.elapsed().as_nanos() as f64 / count as f64;
        let middle = all[count / 2];
        let row = load(&program, &registry, |lane| middle + 4 * lane as u64);
        // A stride that is coprime to all counts.
        let spread = load(&program, &registry, |lane| all[lane * 7919 % count] + 64);
        let start = Instant::now();
        for address in &all {
            black_box(registry.free(*address)).expect("it was allocated");
        }
        let freed = start.elapsed().as_nanos() as f64 / count as f64;
        let first = *one.get_or_insert(row);
        println!(
            "{count:>11} {made:>17.0} {freed:>9.0} {row:>10.1} ({:.2}) {spread:>10.1} ({:.1})",
            row / first,
            spread / first
        );
    }
}
