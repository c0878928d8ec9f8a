//! Spin loops: whether an iteration made progress is decided by registers that the program itself may not read any more.

use wavetank_gcn::Chip;
use wavetank_interp::{Interpreter, Program, Simd, Translation};
use wavetank_jit::Jitted;
use wavetank_machine::{Backend, Leave};
use wavetank_memory::{MemoryUnit, Registry, Wave};

use super::engine::{assembled, compiler, levels};

/// The register in which the loops count their iterations.
const ITERATIONS: usize = 3;

/// How many iterations a wave has done at the end of each time slice, if memory has these values in them.
fn iterations(backend: &mut dyn Backend, values: &[u32]) -> Vec<u32> {
    let registry = Registry::new();
    let memory = registry.allocate("flag", 4096, 256).unwrap();
    let mut unit = MemoryUnit::new(&registry);
    let mut wave = Wave::new(0);
    wave.vgpr_mut(0).fill(memory.address as u32);
    wave.vgpr_mut(1).fill((memory.address >> 32) as u32);
    let slice = |value: &u32| {
        registry
            .write(memory.address, &value.to_le_bytes())
            .unwrap();
        wave.uniform_mut().budget = 1_000_000;
        let leave = backend.run(&mut wave, &mut unit);
        assert!(matches!(leave, Leave::Spin(_)), "{leave:?}");
        wave.uniform().s[ITERATIONS]
    };
    values.iter().map(slice).collect()
}

/// As the list of yield points says: the second iteration of the same values is the first that can be compared, since
/// registers are looked at from there on, and an iteration with another value makes progress.
#[test]
fn what_another_wave_has_stored_is_progress() {
    let one_block = [
        "s_add_u32 s3, s3, 1",
        "global_load_dword v2, v[0:1], off glc",
        "s_waitcnt vmcnt(0)",
        "v_cmp_ne_u32_e32 vcc, 7, v2",
        "s_cbranch_vccnz 65530",
    ];
    // v2 is dead after the first block, at whose end nothing is compared.
    let two_blocks = [
        "s_add_u32 s3, s3, 1",
        "global_load_dword v2, v[0:1], off glc",
        "s_waitcnt vmcnt(0)",
        "v_cmp_ne_u32_e32 vcc, 7, v2",
        "s_cbranch_execz 1",
        "v_mov_b32_e32 v4, 0",
        "s_cbranch_vccnz 65528",
    ];
    for lines in [&one_block[..], &two_blocks] {
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let code = assembled(&lines, Chip::Gfx900);
        let how = |simd| Translation {
            count: false,
            step: false,
            instrumented: false,
            simd,
        };
        let values = [1, 1, 2, 2, 2, 3];
        let expected = [3, 4, 6, 7, 8, 10];
        let program = Program::new(code.clone(), how(Simd::detect()));
        let interpreted = iterations(&mut Interpreter::new(&program), &values);
        assert_eq!(interpreted, expected, "{lines:?}");
        for simd in levels() {
            let jit = compiler(code.clone(), how(*simd), false);
            let compiled = iterations(&mut Jitted::new(&jit), &values);
            assert_eq!(compiled, expected, "{simd:?} {lines:?}");
        }
    }
}
