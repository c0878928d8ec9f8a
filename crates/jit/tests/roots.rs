//! `v_rsq_f32` in compiled code: each result is the number nearest to the reciprocal root, as exact integers tell.

use wavetank_gcn::Chip;
use wavetank_interp::Translation;
use wavetank_jit::Jitted;
use wavetank_machine::{Backend, Leave};
use wavetank_memory::{MemoryUnit, Registry, Wave};

use super::engine::{assembled, compiler, levels};

/// The numbers of one run.
const COUNT: u32 = 1 << 16;

/// The reciprocal roots of numbers whose bits are `step` apart.
fn roots(backend: &mut dyn Backend, first: u32, step: u32) -> Vec<u32> {
    let registry = Registry::new();
    let memory = registry.allocate("roots", u64::from(4 * COUNT), 256);
    let address = memory.unwrap().address;
    let mut wave = Wave::new(0);
    wave.uniform_mut().budget = i64::MAX;
    wave.uniform_mut().s[0] = COUNT / 64;
    wave.uniform_mut().s[1] = 64 * step;
    for lane in 0..64 {
        let to = address + 4 * lane as u64;
        let registers = [first + step * lane as u32, 0, to as u32, (to >> 32) as u32];
        for (n, value) in registers.into_iter().enumerate() {
            wave.vgpr_mut(n)[lane] = value;
        }
    }
    let leave = backend.run(&mut wave, &mut MemoryUnit::new(&registry));
    assert!(matches!(leave, Leave::End(_)), "{leave:?}");
    let mut bytes = vec![0; 4 * COUNT as usize];
    registry.read(address, &mut bytes).unwrap();
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

/// The mantissa as an integer, and the power of two that it is multiplied by.
fn parts(bits: u32) -> (u128, i32) {
    let (exponent, fraction) = ((bits >> 23) as i32, u128::from(bits & 0x7f_ffff));
    match exponent {
        0 => (fraction, -149),
        _ => (fraction | 0x80_0000, exponent - 150),
    }
}

/// Whether the root is within half of its last place: 1 / x is between the squares of both limits.
fn is_nearest(x: u32, root: u32) -> bool {
    let ((m, e), (n, f)) = (parts(x), parts(root));
    let one = 1 << (2 - 2 * f - e);
    (2 * n - 1).pow(2) * m < one && one < (2 * n + 1).pow(2) * m
}

#[test]
fn reciprocal_roots_are_the_nearest_numbers() {
    let lines = [
        "v_rsq_f32_e32 v1, v0",
        "global_store_dword v[2:3], v1, off",
        "v_add_u32_e32 v0, s1, v0",
        "v_add_co_u32_e32 v2, vcc, 0x100, v2",
        "v_addc_co_u32_e32 v3, vcc, 0, v3, vcc",
        "s_sub_u32 s0, s0, 1",
        "s_cmp_lg_u32 s0, 0",
        "s_cbranch_scc1 65526",
    ];
    let code = assembled(&lines.map(String::from), Chip::Gfx900);
    for simd in levels() {
        let how = Translation {
            count: false,
            step: false,
            instrumented: false,
            simd: *simd,
        };
        let jit = compiler(code.clone(), how, false);
        let mut engine = Jitted::new(&jit);
        // All numbers from 1 to 4, whose roots are those of all others but for powers of two; and some of each exponent.
        // Denormals are flushed.
        let (one, smallest) = (1f32.to_bits(), f32::MIN_POSITIVE.to_bits());
        let whole = (0..1 << 24).step_by(COUNT as usize);
        let runs = whole.map(|n| (one + n, 1)).chain([(smallest, 32_511)]);
        for (first, step) in runs {
            let roots = roots(&mut engine, first, step);
            for (n, root) in (0..).zip(roots) {
                let x = first + step * n;
                assert!(is_nearest(x, root), "{simd:?} {x:#x}: {root:#x}");
            }
        }
    }
}
