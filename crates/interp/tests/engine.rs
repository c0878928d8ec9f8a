//! The engine that tests compare with the plain evaluator: the interpreter.

use std::sync::Arc;

use wavetank_interp::{Interpreter, Program, Simd, Translation};
use wavetank_machine::Backend;
use wavetank_translate::Code;

/// Calls `f` with the engine on a program.
pub(crate) fn with<R>(
    code: Arc<dyn Code + Send + Sync>,
    how: Translation,
    f: impl FnOnce(&mut dyn Backend) -> R,
) -> R {
    let program = Program::new(code, how);
    f(&mut Interpreter::new(&program))
}

/// The levels of processor features that there are here.
pub(crate) fn levels() -> &'static [Simd] {
    let all = &[Simd::Avx512, Simd::Avx2, Simd::Baseline];
    let best = Simd::detect();
    let first = all.iter().position(|l| *l == best).unwrap_or(2);
    &all[first..]
}
