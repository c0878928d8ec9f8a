//! Tiers: a compiling engine leaves rarely run code to another engine, which counts how often blocks are entered.

use wavetank_machine::Leave;
use wavetank_memory::{MemoryUnit, Wave};

use crate::{Key, Modes, Translator};

/// A program on the engine of the first tier, shared by its threads.
pub trait ColdProgram: Send + Sync {
    /// The translator of the program's code.
    fn translator(&self) -> &Translator;

    /// The blocks that waves have entered so far.
    fn entered(&self) -> Vec<Key>;

    /// Marks the block at a PC for some modes as never hot: it cannot be compiled.
    fn keep_cold(&self, pc: u64, modes: Modes);

    /// An engine of the first tier for one thread.
    fn engine(&self) -> Box<dyn ColdEngine + '_>;
}

/// The engine of the first tier, for one thread.
pub trait ColdEngine {
    /// Runs one wave like [`run`](wavetank_machine::Backend::run), and gives nothing when it comes to a block that was entered
    /// `hot` times before: compiled code takes over there. The memory unit was entered, and the wave has room for the
    /// temporaries of blocks.
    fn run_cold(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>, hot: u32)
    -> Option<Leave>;
}
