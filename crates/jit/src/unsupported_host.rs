//! Stubs of the compiler for hosts that it does not support.

use std::convert::Infallible;

use wavetank_machine::{Backend, Leave};
use wavetank_memory::{MemoryUnit, Wave};
use wavetank_translate::{ColdProgram, Key, Modes, Translator};

use crate::options::{CompileOptions, Compiled, Names};

/// The number of times that a block is interpreted before it would be compiled.
pub const HOT: u32 = u32::MAX;

/// The compiled blocks of a program, of which there are none.
pub struct Jit(Infallible);

/// The reason why this machine has no compiled code.
#[derive(Debug, thiserror::Error)]
#[error("code is compiled for Linux on x86-64 alone")]
pub struct Unavailable;

impl Unavailable {
    /// Whether hosts of this kind usually have compiled code.
    pub fn is_unusual(&self) -> bool {
        false
    }
}

impl Jit {
    /// Returns the program unchanged.
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

    /// Without effect: there is no compiled code to report to perf.
    pub fn with_perf_names(self, _: Names) -> Jit {
        match self.0 {}
    }

    /// The listing of the block at a PC, which has none.
    pub fn listing(
        &self,
        _: u64,
        _: Modes,
        _: &dyn Fn(u64) -> String,
    ) -> Option<(String, Vec<u64>)> {
        match self.0 {}
    }

    /// The translator of the program's code.
    pub fn translator(&self) -> &Translator {
        match self.0 {}
    }

    /// The blocks that waves have entered so far.
    pub fn entered(&self) -> Vec<Key> {
        match self.0 {}
    }

    /// The statistics of compilation so far.
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
