//! Arithmetic of single precision in modes that flush: what the host reads as zeros, and what is so near the smallest normal
//! number that it matters how it is rounded, is what the plain evaluator makes of it.

use super::engine;
use super::world::Random;
use wavetank_gcn::Chip;
use wavetank_interp::{Plain, PlainProgram, Simd, Translation};
use wavetank_machine::Backend;
use wavetank_memory::{MemoryUnit, Registry, Wave};

/// Registers that a program reads and writes.
const REGISTERS: usize = 6;

/// Instructions with places for registers.
const LINES: [&str; 15] = [
    "v_mul_f32 v#, v#, v#",
    "v_mul_f32 v#, v#, v#",
    "v_add_f32 v#, v#, v#",
    "v_sub_f32 v#, v#, v#",
    "v_mac_f32 v#, v#, v#",
    "v_mad_f32 v#, v#, -v#, |v#|",
    "v_mad_f32 v#, v#, v#, v#",
    "v_fma_f32 v#, v#, v#, -v#",
    "v_rcp_f32 v#, v#",
    "v_rsq_f32 v#, |v#|",
    "v_sqrt_f32 v#, v#",
    "v_cmp_lt_f32 vcc, v#, v#",
    "v_cndmask_b32 v#, v#, v#, vcc",
    "v_xor_b32 v#, 0x80000000, v#",
    "v_mov_b32 v#, v#",
];

fn line(random: &mut Random) -> String {
    let mut line = LINES[random.below(LINES.len())].to_owned();
    while line.contains('#') {
        line = line.replacen('#', &random.below(REGISTERS).to_string(), 1);
    }
    line
}

/// Numbers about the smallest normal one, factors that lead there, and some that are none.
fn number(random: &mut Random) -> u32 {
    let few = random.next() as u32 & 7;
    let sign = (random.next() as u32 & 1) << 31;
    let number = match random.below(9) {
        0 => few,
        1 => 0x007f_fff8 + few,
        2 => 0x0080_0000 + few,
        // Nearly 1, and 2^-126 times that of others.
        3 | 4 => 0x3f7f_fff8 + few,
        5 => 0x1f80_0000 + (random.next() as u32 & 0xff_ffff),
        6 => 0x0080_0000 + (random.next() as u32 & 0x7f_ffff),
        7 => random.next() as u32 & 0x7f_ffff,
        _ => [0, 0x7f80_0000, 0x7fc0_0001, 0x7f80_0001, 0x3f00_0000][random.below(5)],
    };
    number | sign
}

fn run(backend: &mut dyn Backend, mode: u32, vgprs: &[[u32; 64]; REGISTERS]) -> Vec<[u32; 64]> {
    let mut wave = Wave::new(0);
    wave.set_s64(106, 0x0f0f_3355_aaaa_ffff);
    wave.set_s64(126, !0);
    wave.uniform_mut().hw[1] = mode;
    for (n, vgpr) in vgprs.iter().enumerate() {
        *wave.vgpr_mut(n) = *vgpr;
    }
    let registry = Registry::new();
    backend.run(&mut wave, &mut MemoryUnit::new(&registry));
    (0..REGISTERS).map(|n| *wave.vgpr(n)).collect()
}

#[test]
fn denormals_are_flushed_as_the_plain_evaluator_does() {
    let mut random = Random::of(0x6a09_e667_f3bc_c908);
    let how = Translation {
        count: false,
        step: false,
        instrumented: false,
        simd: Simd::detect(),
    };
    for _ in 0..400 {
        let lines: Vec<String> = (0..4 + random.below(8))
            .map(|_| line(&mut random))
            .collect();
        let code = engine::assembled(&lines, Chip::Gfx803);
        // The rounding of single precision; FP_DENORM keeps those of double precision alone.
        let mode = 0xc0 | random.below(4) as u32;
        for _ in 0..4 {
            let vgprs = std::array::from_fn(|_| std::array::from_fn(|_| number(&mut random)));
            let plain = PlainProgram::new(code.clone(), false);
            let expected = run(&mut Plain::new(&plain), mode, &vgprs);
            for simd in engine::levels() {
                let how = Translation { simd: *simd, ..how };
                let got = engine::with(code.clone(), how, |backend| run(backend, mode, &vgprs));
                assert_eq!(got, expected, "{lines:#?}, mode {mode:#x}, {vgprs:x?}");
            }
        }
    }
}
