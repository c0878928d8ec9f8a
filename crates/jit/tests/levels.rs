//! What is compiled for AVX-512 is compiled for AVX2 as well, and not left to steps.

use std::collections::BTreeMap;

use wavetank_gcn::Inst;
use wavetank_interp::{Simd, Translation};

use super::engine::compiler;
use super::world::{Random, World, crowd, instructions, source};
use wavetank_jit::Jitted;

/// What steps do of an instruction.
fn by_helpers(world: &World, inst: Inst, simd: Simd) -> BTreeMap<String, u64> {
    let (count, step, instrumented) = (false, false, false);
    let how = Translation {
        count,
        step,
        instrumented,
        simd,
    };
    let jit = compiler(source(&[inst]), how, true);
    // Where it stops does not matter: its block has been compiled by then.
    world.run(&mut Jitted::new(&jit), &mut [world.start(1, 0, 1)], 0);
    let compiled = jit.compiled();
    assert!(compiled.blocks > 0, "{inst} was not compiled: {compiled:?}");
    compiled.by_helpers
}

#[test]
fn avx2_leaves_nothing_to_steps_that_avx512_does() {
    // Instructions of AVX512-FP16 have no others for them.
    if Simd::detect() != Simd::Avx512 || is_x86_feature_detected!("avx512fp16") {
        return println!(
            "SKIP avx2_leaves_nothing_to_steps_that_avx512_does: it is for AVX-512 without FP16"
        );
    }
    let (world, mut random, mut left) = (World::new(), Random::of(7), 0);
    for inst in instructions() {
        for inst in [inst, crowd(inst, &mut random)] {
            let [wide, narrow] =
                [Simd::Avx512, Simd::Avx2].map(|simd| by_helpers(&world, inst, simd));
            assert_eq!(wide, narrow, "{inst}");
            left += wide.len();
        }
    }
    // Some operations have no template.
    assert!(left > 100, "{left} operations were left to steps");
}
