//! The back ends that modules run on.

use std::sync::{Arc, OnceLock};

use wavetank_interp::{Interpreter, Program, Simd, Translation};
use wavetank_machine::Backend;
use wavetank_translate::Translator;

use crate::code::ModuleCode;
use crate::trace::{Outlines, Stepper};

/// How a module's code is translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mode {
    /// Instructions are counted by family.
    pub count: bool,
    /// Blocks are single instructions.
    pub step: bool,
}

/// A module's translations, one for each mode, shared by the threads that run
/// it.
pub(crate) struct Engine {
    code: Arc<ModuleCode>,
    simd: Simd,
    programs: [OnceLock<Program>; 4],
    outlines: Outlines,
}

impl Engine {
    pub fn new(code: ModuleCode, simd: Simd) -> Self {
        let code = Arc::new(code);
        Engine {
            outlines: Outlines::new(Translator::new(code.clone(), false)),
            code,
            simd,
            programs: Default::default(),
        }
    }

    /// What is translated.
    pub fn code(&self) -> &ModuleCode {
        &self.code
    }

    /// Runs waves instruction by instruction, for one thread.
    pub fn stepper(&self, count: bool) -> Stepper<'_> {
        let step = true;
        Stepper::new(self.backend(Mode { count, step }), &self.outlines)
    }

    /// A back end for one thread.
    pub fn backend(&self, mode: Mode) -> Box<dyn Backend + '_> {
        let Mode { count, step } = mode;
        let program =
            self.programs[usize::from(count) | usize::from(step) << 1].get_or_init(|| {
                // Who goes step by step is told what each step touches.
                let (tap, simd) = (step, self.simd);
                let how = Translation {
                    count,
                    step,
                    tap,
                    simd,
                };
                Program::new(self.code.clone(), how)
            });
        Box::new(Interpreter::new(program))
    }
}
