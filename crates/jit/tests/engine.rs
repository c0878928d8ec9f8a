//! The engine that tests compare with the plain evaluator: compiled code, without warming up.

use std::sync::Arc;

use wavetank_gcn::{Chip, Inst, decode, encode, parse};
use wavetank_interp::{Program, Simd, Translation};
use wavetank_jit::{CompileOptions, Jit, Jitted};
use wavetank_machine::Backend;
use wavetank_translate::Code;

/// Calls `f` with the engine on a program.
pub(crate) fn with<R>(
    code: Arc<dyn Code + Send + Sync>,
    how: Translation,
    f: impl FnOnce(&mut dyn Backend) -> R,
) -> R {
    // Tests look at all that is left.
    let jit = compiler(code, how, true);
    let result = f(&mut Jitted::new(&jit));
    let compiled = jit.compiled();
    assert!(compiled.blocks > 0, "nothing was compiled: {compiled:?}");
    result
}

/// The engine's program, which compiles each block before it runs for the first time.
pub(crate) fn compiler(
    code: Arc<dyn Code + Send + Sync>,
    how: Translation,
    registers_observable: bool,
) -> Jit {
    let Translation {
        count,
        simd,
        instrumented,
        ..
    } = how;
    let program = Program::new(code, how);
    let how = CompileOptions {
        count,
        simd,
        registers_observable,
        instrumented,
    };
    Jit::new(program, how, 0).unwrap_or_else(|(_, why)| panic!("{why}"))
}

/// The code of lines for a chip, from address 0 on, and the end of the program.
pub(crate) fn assembled(lines: &[String], chip: Chip) -> Arc<dyn Code + Send + Sync> {
    let mut bytes = Vec::new();
    for text in lines.iter().map(String::as_str).chain(["s_endpgm"]) {
        let inst = parse(text, chip).expect(text);
        bytes.extend_from_slice(encode(&inst).expect(text).as_bytes());
    }
    Arc::new(move |pc: u64| -> Result<Inst, String> {
        decode(&bytes[pc as usize..], chip).map_err(|e| e.to_string())
    })
}

/// The levels of processor features that code is compiled for, if this processor has them.
pub(crate) fn levels() -> &'static [Simd] {
    match Simd::detect() {
        Simd::Avx512 => &[Simd::Avx512, Simd::Avx2],
        Simd::Avx2 => &[Simd::Avx2],
        Simd::Baseline => &[],
    }
}
