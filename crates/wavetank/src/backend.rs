//! The choice of an engine, and programs on it.

use std::fmt;
use std::str::FromStr;
use std::sync::Once;

use wavetank_interp::{Interpreter, Program, Simd, Translation};
use wavetank_ir::Op;
use wavetank_jit::{CompileOptions, Compiled, HOT, Jit, Jitted, Names};
use wavetank_machine::Backend;
use wavetank_translate::{ColdProgram, Key};

/// The engine that runs kernels. All engines compute the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineChoice {
    /// The interpreter at first; code that runs often is compiled, if the host can run compiled code.
    #[default]
    Auto,
    /// All code is compiled before it runs for the first time.
    Jit,
    /// The interpreter alone.
    Interpreter,
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EngineChoice::Auto => "auto",
            EngineChoice::Jit => "jit",
            EngineChoice::Interpreter => "interpreter",
        })
    }
}

/// The error of a name that is not an engine's.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not an engine; there are auto, jit and interpreter")]
pub struct UnknownEngine(String);

impl FromStr for EngineChoice {
    type Err = UnknownEngine;

    fn from_str(text: &str) -> Result<EngineChoice, UnknownEngine> {
        let all = [
            EngineChoice::Auto,
            EngineChoice::Jit,
            EngineChoice::Interpreter,
        ];
        let known = all.into_iter().find(|choice| choice.to_string() == text);
        known.ok_or_else(|| UnknownEngine(text.to_owned()))
    }
}

/// A program on its engine, for all threads.
pub(crate) enum Executable {
    Interpreted(Program),
    Compiled(Box<Jit>),
}

impl Executable {
    /// Makes a program on the chosen engine. A program that is stepped gets the interpreter. If vector registers are not
    /// observable from outside, dead values in them are not stored. Perf gets the names of compiled code.
    pub(crate) fn new(
        program: Program,
        how: Translation,
        choice: EngineChoice,
        registers_observable: bool,
        names: Option<Names>,
    ) -> Executable {
        let hot = match choice {
            _ if how.step => None,
            EngineChoice::Interpreter => None,
            EngineChoice::Jit => Some(0),
            EngineChoice::Auto => Some(HOT),
        };
        let Some(hot) = hot else {
            return Executable::Interpreted(program);
        };
        let Translation {
            count,
            instrumented,
            simd,
            ..
        } = how;
        let how = CompileOptions {
            count,
            simd,
            registers_observable,
            instrumented,
        };
        match Jit::new(program, how, hot) {
            Ok(jit) => Executable::Compiled(Box::new(match names {
                Some(names) => jit.with_perf_names(names),
                None => jit,
            })),
            Err((program, why)) => {
                // The reason is printed once, if the compiler was chosen, or if this kind of host usually has it.
                static REPORTED: Once = Once::new();
                let expected = choice == EngineChoice::Jit || why.is_unusual();
                if expected && simd == Simd::detect() {
                    REPORTED.call_once(|| eprintln!("wavetank: kernels are interpreted: {why}"));
                }
                Executable::Interpreted(program)
            }
        }
    }

    /// Returns the counts of compiled code.
    pub(crate) fn compiled(&self) -> Compiled {
        match self {
            Executable::Interpreted(_) => Compiled::default(),
            Executable::Compiled(jit) => jit.compiled(),
        }
    }

    /// Returns the blocks that waves have entered so far; some may come twice.
    pub(crate) fn entered(&self) -> Vec<Key> {
        match self {
            Executable::Interpreted(program) => program.entered(),
            Executable::Compiled(jit) => jit.entered(),
        }
    }

    /// Returns the addresses of the instructions of a block.
    pub(crate) fn instructions(&self, key: Key) -> Vec<u64> {
        let translator = match self {
            Executable::Interpreted(program) => program.translator(),
            Executable::Compiled(jit) => jit.translator(),
        };
        let (pc, modes) = key.parts();
        let nodes = translator.lift(pc, modes).nodes;
        let pcs = nodes.into_iter().filter_map(|node| match node.op {
            Op::Inst { pc, .. } => Some(pc),
            _ => None,
        });
        pcs.collect()
    }

    /// Returns the engine for one thread.
    pub(crate) fn backend(&self) -> Box<dyn Backend + '_> {
        match self {
            Executable::Interpreted(program) => Box::new(Interpreter::new(program)),
            Executable::Compiled(jit) => Box::new(Jitted::new(jit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_have_names() {
        for name in ["auto", "jit", "interpreter"] {
            let choice: EngineChoice = name.parse().unwrap();
            assert_eq!(choice.to_string(), name);
        }
        let error = "fast".parse::<EngineChoice>().unwrap_err().to_string();
        assert!(error.starts_with("`fast` is not an engine"), "{error}");
    }
}
