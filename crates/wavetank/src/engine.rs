//! The back ends that modules run on.

use wavetank_machine::{Backend, Fault, MemoryUnit, Stop, Wave};

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
pub(crate) struct Engine {}

impl Engine {
    pub fn new(_code: &ModuleCode) -> Self {
        Engine {}
    }

    /// A back end for one thread.
    pub fn backend(&self, _mode: Mode) -> Box<dyn Backend + '_> {
        Box::new(Absent)
    }
}

/// Stops every wave at its first instruction: no back end has been joined yet.
struct Absent;

impl Backend for Absent {
    fn run(&mut self, wave: &mut Wave, _: &mut MemoryUnit<'_>) -> Stop {
        let pc = wave.uniform().pc;
        Stop::Fault(Fault::Unsupported {
            pc,
            what: "no back end runs it yet".to_owned(),
        })
    }
}
