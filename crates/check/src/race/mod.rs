//! Accesses of different waves to the same bytes, of which one writes, and which nothing orders.
//!
//! What orders waves is followed while they run ("happens before", as FastTrack does for threads: Flanagan and Freund, 2009):
//!
//! * `s_barrier`, for the waves of a work-group;
//! * atomics: one that returns comes behind all atomics on its address before it;
//! * global wave synchronization (`ds_gws_*`): who uses a resource comes behind all that have used it;
//! * coherent loads (GLC): one comes behind the store whose bytes it sees, and so does a load that polls ([`kind`]).
//!
//! So a race is found though the waves did not meet this time, if only both came by. Where too much would have to be kept or
//! computed, more order is assumed than there is, never less: then a race is missed, and nothing false is said. What cannot
//! be seen stands in `docs/checkers.md`.

mod clock;
mod found;
mod kind;
mod shadow;
mod step;
#[cfg(test)]
mod tests;
mod values;
mod waves;

use std::ops::Range;

use wavetank_ir::MemKind;
use wavetank_memory::{Touch, Touched};

use crate::finding::Findings;
use crate::watch::{TurnEnd, Watcher, WaveOf};
use clock::{Fuel, Time};
use found::Found;
pub use kind::InstAt;
use kind::Kinds;
use shadow::{Mode, Shadow, Slot};
use step::Step;
pub use values::Reader;
use values::Values;
use waves::Waves;

/// The tool that finds races while a kernel runs.
pub struct Race {
    kernel: String,
    kinds: Kinds,
    waves: Waves,
    global: Shadow,
    gds: Shadow,
    found: Found,
    values: Values,
    now: Time,
}

impl Race {
    /// Watches a launch of a kernel. `inst_at` gives the instruction at an address; of one that it does not know, nothing is
    /// said.
    pub fn new(kernel: impl Into<String>, inst_at: InstAt) -> Race {
        Race {
            kernel: kernel.into(),
            kinds: Kinds::new(inst_at),
            waves: Waves::default(),
            global: Shadow::default(),
            gds: Shadow::default(),
            found: Found::default(),
            values: Values::default(),
            now: 0,
        }
    }

    /// Reads global memory with this at the end of each turn, so that stores of different values by one instruction of
    /// several waves are told from those of equal ones, which are no mistake.
    pub fn with_reader(mut self, reader: Reader) -> Race {
        self.values = Values::new(Some(reader));
        self
    }

    /// One instruction of a wave.
    fn step(&mut self, wave: u32, touches: &[Touch], lds: &mut Shadow) {
        self.now = self.now.saturating_add(1);
        let Touch { pc, kind: what, .. } = touches[0];
        let Some((pc, kind)) = self.kinds.at(pc) else {
            return;
        };
        let slot = Slot::new(wave, self.now, pc, Mode::Plain);
        let (found, values) = (&mut self.found, &mut self.values);
        let mut step = Step::new(&mut self.waves, found, values, kind, slot);
        for touches in touches.chunk_by(|a, b| a.memory == b.memory) {
            let shadow = match touches[0].memory {
                Touched::Global => &mut self.global,
                Touched::Gds => &mut self.gds,
                Touched::Lds => &mut *lds,
                // A lane has its own.
                Touched::Scratch => continue,
            };
            match what {
                // Lanes that load the same are one: what is new the first has told.
                MemKind::Load => touches
                    .chunk_by(|a, b| (a.address, a.bytes) == (b.address, b.bytes))
                    .for_each(|same| step.load(shadow, &same[0])),
                MemKind::Store => touches.iter().for_each(|touch| step.store(shadow, touch)),
                MemKind::Atomic(_) => step.atomics(shadow, touches),
            }
        }
    }
}

impl Watcher for Race {
    fn turn(&mut self, wave: WaveOf, touches: &[Touch], end: TurnEnd) {
        let wave = self.waves.number(wave);
        self.waves.begin_turn(wave, self.now);
        let touched = u32::try_from(touches.len()).unwrap_or(u32::MAX);
        self.waves.fuel.earn(touched.saturating_mul(Fuel::EACH));
        let mut lds = self.waves.lend_lds(wave).unwrap_or_default();
        for touches in touches.chunk_by(|a, b| a.pc == b.pc && a.kind == b.kind) {
            self.step(wave, touches, &mut lds);
        }
        self.waves.return_lds(wave, Some(lds));
        self.values.end_turn(&mut self.global, &mut self.found);
        self.now = self.now.saturating_add(1);
        self.waves.end_turn(wave, end, self.now);
    }

    fn scratch_begins(&mut self, bytes: Range<u64>) {
        self.global.forget(bytes);
    }

    fn end(&mut self, findings: &mut Findings) {
        self.found
            .tell(&self.kernel, &self.waves, &self.kinds, findings);
    }
}
