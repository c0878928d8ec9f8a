//! Arithmetic of half precision in all modes: on processors without instructions for it, which round twice, and on those with
//! them, what the plain evaluator makes of numbers near ties, near the ends of what there is, and of NaNs.

use super::engine;
use super::fusion::blocks;
use super::world::Random;
use wavetank_gcn::Chip;
use wavetank_interp::{Plain, PlainProgram, Simd, Translation};
use wavetank_machine::Backend;
use wavetank_memory::{MemoryUnit, Registry, Wave};

/// Registers that a program reads.
const REGISTERS: usize = 6;

/// Those that most programs write: nothing that was computed is read again, so that each line shows alone what is wrong with
/// it. Others write what they read.
const RESULTS: usize = 24;

/// Instructions with places for registers. What is written stands first.
const LINES: [&str; 44] = [
    "v_add_f16 v#, v#, v#",
    "v_sub_f16 v#, v#, v#",
    "v_mul_f16 v#, v#, v#",
    "v_fma_f16 v#, v#, v#, v#",
    "v_fma_f16 v#, v#, -v#, |v#|",
    "v_fma_f16 v#, v#, v#, v# clamp",
    "v_mad_f16 v#, v#, v#, v#",
    "v_mad_f16 v#, -v#, v#, |v#|",
    "v_mac_f16 v#, v#, v#",
    "v_min_f16 v#, v#, v#",
    "v_max_f16 v#, v#, v#",
    "v_med3_f16 v#, v#, v#, v#",
    "v_min3_f16 v#, v#, v#, v#",
    "v_cmp_lt_f16 vcc, v#, v#",
    "v_cmp_nle_f16 vcc, v#, v#",
    "v_cmp_o_f16 vcc, v#, v#",
    "v_rcp_f16 v#, v#",
    "v_rsq_f16 v#, v#",
    "v_sqrt_f16 v#, v#",
    "v_exp_f16 v#, v#",
    "v_log_f16 v#, v#",
    "v_sin_f16 v#, v#",
    "v_cos_f16 v#, v#",
    "v_floor_f16 v#, v#",
    "v_ceil_f16 v#, v#",
    "v_trunc_f16 v#, v#",
    "v_rndne_f16 v#, v#",
    "v_fract_f16 v#, v#",
    "v_frexp_mant_f16 v#, v#",
    "v_frexp_exp_i16_f16 v#, v#",
    "v_ldexp_f16 v#, v#, v#",
    "v_cvt_f16_i16 v#, v#",
    "v_cvt_f16_u16 v#, v#",
    "v_cvt_i16_f16 v#, v#",
    "v_cvt_u16_f16 v#, v#",
    "v_pk_add_f16 v#, v#, v# neg_lo:[1,0]",
    "v_pk_mul_f16 v#, v#, v# op_sel:[1,0]",
    "v_pk_fma_f16 v#, v#, v#, v#",
    "v_pk_fma_f16 v#, v#, v#, v# op_sel_hi:[0,1,1] neg_hi:[0,1,0]",
    "v_pk_min_f16 v#, v#, v#",
    "v_pk_max_f16 v#, v#, v# clamp",
    "v_add_f16_sdwa v#, v#, v# dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0",
    "v_mad_mixlo_f16 v#, v#, v#, v# op_sel_hi:[1,0,1]",
    "v_mad_mixhi_f16 v#, v#, v#, v# op_sel_hi:[0,1,1] clamp",
];

fn line(random: &mut Random, chained: bool) -> String {
    let mut line = LINES[random.below(LINES.len())].to_owned();
    let mut result = !line.contains("vcc") && !chained;
    while line.contains('#') {
        let register = if std::mem::take(&mut result) {
            REGISTERS + random.below(RESULTS)
        } else {
            random.below(REGISTERS)
        };
        line = line.replacen('#', &register.to_string(), 1);
    }
    line
}

/// A half: any, one with few bits, one near the ends of what there is, or a special one.
fn half(random: &mut Random) -> u32 {
    let any = random.next() as u32 & 0xffff;
    let few = random.next() as u32 & 3;
    let sign = any & 0x8000;
    match random.below(8) {
        0..=2 => any,
        // Sums of such tie often.
        3 => sign | (0x3000 + (any & 0xf) * 0x400 + few),
        4 => sign | (any & 0x7),
        5 => sign | (0x3fe + few),
        6 => sign | (0x7bfc + few),
        _ => sign | [0, 0x7c00, 0x7e01, 0x7d55, 0x3c00, 0x0001, 0x0400, 0x3bff][random.below(8)],
    }
}

fn run(backend: &mut dyn Backend, mode: u32, vgprs: &[[u32; 64]; REGISTERS]) -> Vec<[u32; 64]> {
    let mut wave = Wave::new(0);
    wave.set_s64(126, 0xffff_fff7_fffe_ffff);
    wave.uniform_mut().hw[1] = mode;
    for (n, vgpr) in vgprs.iter().enumerate() {
        *wave.vgpr_mut(n) = *vgpr;
    }
    let registry = Registry::new();
    backend.run(&mut wave, &mut MemoryUnit::new(&registry));
    let vcc = wave.uniform().s[106..108].try_into();
    let [low, high]: [u32; 2] = vcc.expect("two registers");
    let mut results: Vec<_> = (0..REGISTERS + RESULTS).map(|n| *wave.vgpr(n)).collect();
    results.push([low; 64]);
    results.push([high; 64]);
    results
}

#[test]
fn halves_are_what_the_plain_evaluator_makes_of_them() {
    let mut random = Random::of(0x3c6e_f372_fe94_f82b);
    let how = Translation {
        count: false,
        step: false,
        instrumented: false,
        simd: Simd::detect(),
    };
    for _ in 0..blocks() / 10 {
        let chained = random.below(4) == 0;
        let lines: Vec<String> = (0..1 + random.below(12))
            .map(|_| line(&mut random, chained))
            .collect();
        let code = engine::assembled(&lines, Chip::Gfx900);
        // Every rounding, denormals kept or not, DX10_CLAMP, IEEE.
        let mode = random.below(0x400) as u32;
        for _ in 0..4 {
            let vgprs = std::array::from_fn(|_| {
                std::array::from_fn(|_| half(&mut random) | half(&mut random) << 16)
            });
            let plain = PlainProgram::new(code.clone(), false);
            let expected = run(&mut Plain::new(&plain), mode, &vgprs);
            for simd in engine::levels() {
                let how = Translation { simd: *simd, ..how };
                let got = engine::with(code.clone(), how, |backend| run(backend, mode, &vgprs));
                let differs = (0..got.len()).find_map(|n| {
                    let lane = (0..64).find(|l| got[n][*l] != expected[n][*l])?;
                    let operands: Vec<_> = vgprs.iter().map(|v| format!("{:x}", v[lane])).collect();
                    Some(format!(
                        "v{n} lane {lane}: {:#x}, expected {:#x}, of {operands:?}",
                        got[n][lane], expected[n][lane]
                    ))
                });
                assert_eq!(differs, None, "{lines:#?}, mode {mode:#x}");
            }
        }
    }
}
