//! The last step of a division where scaling down loses just half of a step, which no random number comes across: what
//! compiled code makes of it is what the plain evaluator does.

use std::sync::Arc;

use super::engine;
use wavetank_gcn::{Chip, Inst, decode};
use wavetank_interp::{Plain, PlainProgram, Simd, Translation};
use wavetank_machine::Backend;
use wavetank_memory::{MemoryUnit, Registry, Wave};

/// v_div_fmas_f32 v6, v0, v2, v4, or of double precision v[6:7], v[0:1], v[2:3], v[4:5] (Vega ISA, 13.3.4 VOP3A).
fn code(opcode: u32) -> impl Fn(u64) -> Result<Inst, String> + Send + Sync + Clone {
    let words = [0xd000_0000 | opcode << 16 | 6, 256 | 258 << 9 | 260 << 18];
    let bytes = [words[0], words[1], 0xbf81_0000]
        .map(u32::to_le_bytes)
        .concat();
    move |pc| decode(&bytes[pc as usize..], Chip::Gfx900).map_err(|e| e.to_string())
}

fn run(backend: &mut dyn Backend, operands: &[[u64; 3]; 64]) -> Vec<u64> {
    let mut wave = Wave::new(0);
    // VCC and EXEC; all denormals are kept.
    wave.set_s64(106, !0);
    wave.set_s64(126, !0);
    wave.uniform_mut().hw[1] = 0xf0;
    for (lane, operands) in operands.iter().enumerate() {
        for (n, x) in operands.iter().enumerate() {
            wave.vgpr_mut(2 * n)[lane] = *x as u32;
            wave.vgpr_mut(2 * n + 1)[lane] = (*x >> 32) as u32;
        }
    }
    let registry = Registry::new();
    backend.run(&mut wave, &mut MemoryUnit::new(&registry));
    let (low, high) = (wave.vgpr(6), wave.vgpr(7));
    let lanes = low.iter().zip(high);
    lanes
        .map(|(low, high)| u64::from(*low) | u64::from(*high) << 32)
        .collect()
}

fn check(opcode: u32, operands: &[[u64; 3]; 64]) {
    let how = Translation {
        count: false,
        step: false,
        instrumented: false,
        simd: Simd::detect(),
    };
    let plain = PlainProgram::new(Arc::new(code(opcode)), false);
    let expected = run(&mut Plain::new(&plain), operands);
    for simd in engine::levels() {
        let how = Translation { simd: *simd, ..how };
        let got = engine::with(Arc::new(code(opcode)), how, |backend| {
            run(backend, operands)
        });
        assert_eq!(got, expected, "{operands:x?}");
    }
}

/// c is an odd number of halves of the last step once it is scaled down by `power`; a · b is far less, of both signs, or 0.
#[test]
fn halves_of_the_last_step() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        state >> 16
    };
    for _ in 0..50 {
        let doubles = std::array::from_fn(|_| {
            let tiny = [0.0, 2f64.powi(-520), -2f64.powi(-520)][next() as usize % 3];
            let c = (2 * (next() % (1 << 12)) + 1) as f64 * 2f64.powi(-947);
            let c = if next() & 1 == 0 { c } else { -c };
            [tiny, 2f64.powi(-500), c].map(f64::to_bits)
        });
        check(0x1e3, &doubles);
        let singles = std::array::from_fn(|_| {
            let tiny = [0.0, 2f32.powi(-60), -2f32.powi(-60)][next() as usize % 3];
            let c = (2 * (next() % (1 << 12)) + 1) as f32 * 2f32.powi(-86);
            let c = if next() & 1 == 0 { c } else { -c };
            [tiny, 2f32.powi(-60), c].map(|x| x.to_bits().into())
        });
        check(0x1e2, &singles);
    }
}
