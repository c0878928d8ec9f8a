//! The engine that tests compare with the plain evaluator: compiled code, without warming up.

use std::sync::Arc;

use wavetank_interp::{Program, Simd, Translation};
use wavetank_jit::{How, Jit, Jitted};
use wavetank_machine::Backend;
use wavetank_translate::Code;

/// Calls `f` with the engine on a program.
pub fn with<R>(
    code: Arc<dyn Code + Send + Sync>,
    how: Translation,
    f: impl FnOnce(&mut dyn Backend) -> R,
) -> R {
    let Translation { count, simd, .. } = how;
    let program = Program::new(code, how);
    // Tests look at all that is left.
    let how = How {
        count,
        simd,
        private: false,
    };
    let jit = Jit::new(program, how, 0);
    let jit = jit.unwrap_or_else(|(_, why)| panic!("{why}"));
    let result = f(&mut Jitted::new(&jit));
    let compiled = jit.compiled();
    assert!(compiled.blocks > 0, "nothing was compiled: {compiled:?}");
    result
}

/// The levels of processor features that code is compiled for, if this processor has them.
pub fn levels() -> &'static [Simd] {
    match Simd::detect() {
        Simd::Avx512 => &[Simd::Avx512],
        _ => &[],
    }
}
