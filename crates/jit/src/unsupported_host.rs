//! Hosts for which no code is made.

use std::convert::Infallible;

use wavetank_machine::{Backend, Leave};
use wavetank_memory::{MemoryUnit, Wave};
use wavetank_translate::{ColdProgram, Modes};

use crate::options::{CompileOptions, Compiled, Names};

/// How often a block is interpreted before it would be compiled.
pub const HOT: u32 = u32::MAX;

/// The compiled blocks of a program: there are none.
pub struct Jit(Infallible);

/// Why there can be no compiled code on this machine.
#[derive(Debug, thiserror::Error)]
#[error("code is compiled for Linux on x86-64 alone")]
pub struct Unavailable;

impl Unavailable {
    /// Whether hosts of this kind have it, as a rule.
    pub fn is_unusual(&self) -> bool {
        false
    }
}

impl Jit {
    /// The program comes back.
    ///
    /// # Errors
    /// Always.
    pub fn new<C: ColdProgram>(
        cold: C,
        _: CompileOptions,
        _: u32,
    ) -> Result<Jit, (C, Unavailable)> {
        Err((cold, Unavailable))
    }

    /// Perf is told of what is compiled.
    pub fn telling_perf(self, _: Names) -> Jit {
        match self.0 {}
    }

    /// What the block at a PC is compiled to: it is not.
    pub fn listing(
        &self,
        _: u64,
        _: Modes,
        _: &dyn Fn(u64) -> String,
    ) -> Option<(String, Vec<u64>)> {
        match self.0 {}
    }

    /// What was compiled so far.
    pub fn compiled(&self) -> Compiled {
        match self.0 {}
    }
}

/// The engine on a program, for one thread.
pub struct Jitted<'p>(&'p Jit);

impl<'p> Jitted<'p> {
    /// An engine for one thread.
    pub fn new(program: &'p Jit) -> Self {
        Jitted(program)
    }
}

impl Backend for Jitted<'_> {
    fn run(&mut self, _: &mut Wave, _: &mut MemoryUnit<'_>) -> Leave {
        match self.0.0 {}
    }
}
