//! The back ends that modules run on.

use std::sync::Arc;

use wavetank_machine::{Backend, Reference, ReferenceProgram};

use crate::code::ModuleCode;

/// How a module's code is translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mode {
    /// Instructions are counted by family.
    pub count: bool,
    /// Blocks are single instructions.
    pub step: bool,
}

/// A module's translations, shared by the threads that run it.
pub(crate) struct Engine {
    plain: ReferenceProgram,
    counting: ReferenceProgram,
}

impl Engine {
    pub fn new(code: &Arc<ModuleCode>) -> Self {
        Engine {
            plain: ReferenceProgram::new(code.clone(), false),
            counting: ReferenceProgram::new(code.clone(), true),
        }
    }

    /// A back end for one thread.
    pub fn backend(&self, mode: Mode) -> Box<dyn Backend + '_> {
        let program = if mode.count {
            &self.counting
        } else {
            &self.plain
        };
        Box::new(match mode.step {
            true => Reference::stepping(program),
            false => Reference::new(program),
        })
    }
}
