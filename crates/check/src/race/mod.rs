//! `race`: accesses of different waves to the same bytes, one of them a write, that nothing orders. Also stores of different
//! values by lanes of one instruction ([`overwrites`]).
//!
//! The order of waves is tracked while they run ("happens before", as in FastTrack for threads: Flanagan and Freund, 2009):
//!
//! * `s_barrier`, for the waves of a work-group;
//! * atomics: one that returns is ordered after all earlier atomics on its address;
//! * global wave synchronization (`ds_gws_*`): a wave that uses a resource is ordered after all that have used it;
//! * coherent loads (GLC): one is ordered after the store whose bytes it sees, and so is a load that spins ([`sync_semantics`]).
//!
//! Lanes of one wave are in order, unless they are compared on request ([`lane_order`]).
//!
//! A wave that is ordered after one of another work-group in this way is ordered after those of its writes that were waited for
//! ([`in_flight`]).
//!
//! A race is thus found even if the waves did not collide in this run, if only both executed the accesses. Where tracking would
//! cost too much memory or time, more order is assumed than exists, never less: a race may be missed, but none is reported
//! falsely. `docs/reference/checkers.md` lists the undetectable ones.

mod access_history;
mod check_access;
mod dedup;
mod footprint;
mod in_flight;
mod lane_order;
mod overwrites;
mod page;
mod plane;
mod rows;
mod slot;
mod sync_semantics;
#[cfg(test)]
mod tests;
mod values;
mod vector_clock;
mod waves;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::PoisonError;

use wavetank_ir::MemKind;
use wavetank_memory::{AccessRecord, AccessRun, Lds, MemoryKind};
use wavetank_quote::readable;

use crate::finding::Findings;
use crate::place::Place;
use crate::uncompared::Uncompared;
use crate::watch::{SliceEnd, TimeSlice, Watcher, WaveOf};
use access_history::AccessHistory;
use check_access::CheckAccess;
use dedup::Dedup;
pub use footprint::{Footprint, Kept, Meeting};
use lane_order::LaneOrder;
use overwrites::Overwritten;
use slot::{Mode, Slot};
pub use sync_semantics::InstAt;
use sync_semantics::{Semantics, SemanticsTable};
pub use values::Reader;
use values::Values;
use vector_clock::{Fuel, Time, VectorClock};
use waves::{LoadsAgain, Waves};

/// The tool that finds races while a kernel runs.
pub struct Race {
    kernel: String,
    kinds: SemanticsTable,
    waves: Waves,
    global: AccessHistory,
    gds: AccessHistory,
    found: Dedup,
    values: Values,
    overwritten: Overwritten,
    lanes: Option<LaneOrder>,
    /// Coherent loads that have seen unordered stores of other waves, by the number of their instruction.
    coherent: BTreeSet<u16>,
    now: Time,
    kept: Option<Kept>,
    /// Whether each work-group was a single wave, at the end of the launch.
    has_single_waves: bool,
    /// The scratch of running work-groups, if a footprint is requested. It belongs to no group after they have ended.
    scratch: BTreeSet<(u64, u64)>,
}

impl Race {
    /// Starts to watch a launch of a kernel. `inst_at` returns the instruction at an address; accesses by instructions for which
    /// it returns `None` are not reported.
    pub fn new(kernel: impl Into<String>, inst_at: InstAt) -> Race {
        Race {
            kernel: kernel.into(),
            kinds: SemanticsTable::new(inst_at),
            waves: Waves::default(),
            global: AccessHistory::default(),
            gds: AccessHistory::default(),
            found: Dedup::default(),
            values: Values::default(),
            overwritten: Overwritten::default(),
            lanes: None,
            coherent: BTreeSet::new(),
            now: 0,
            kept: None,
            has_single_waves: false,
            scratch: BTreeSet::new(),
        }
    }

    /// Compares threads of `lanes` lanes of a wave as well, 1 or 32, which only barriers and atomics order. `None` compares waves
    /// alone.
    pub fn with_subgroup(mut self, lanes: Option<u8>) -> Race {
        self.lanes = lanes.map(LaneOrder::new);
        self
    }

    /// Leaves the footprint in global memory at `kept` after the end of the launch.
    pub fn with_footprint(mut self, kept: Option<Kept>) -> Race {
        self.kept = kept;
        self
    }

    /// Reads global memory with `reader` at the end of each time slice. Stores of equal values by one instruction of several
    /// waves can then be distinguished from stores of different values; only the latter are mistakes.
    pub fn with_reader(mut self, reader: Reader) -> Race {
        self.values = Values::new(Some(reader));
        self
    }

    /// Processes one instruction of a wave.
    fn step(&mut self, wave: u32, runs: &[AccessRun], lds: &mut AccessHistory) {
        self.now = self.now.saturating_add(1);
        let AccessRecord { pc, kind: what, .. } = runs[0].first;
        let Some((number, mut kind)) = self.kinds.at(pc) else {
            return;
        };
        if kind.may_spin && what == MemKind::Load {
            let address = runs[0].first.address;
            let again = self.waves.loads_again(wave, number, address);
            self.found.may_spin(number, again);
            if again == LoadsAgain::Spins {
                self.kinds.spins(pc);
                kind = self.kinds.at(pc).map_or(kind, |(_, kind)| kind);
            }
        }
        let slot = Slot::new(wave, self.now, number, Mode::Plain);
        if let Some(lanes) = &mut self.lanes {
            lanes.step(runs, (slot, kind), &mut self.found);
        }
        let mut step = CheckAccess {
            waves: &mut self.waves,
            found: &mut self.found,
            values: &mut self.values,
            overwritten: &mut self.overwritten,
            coherent: &mut self.coherent,
            kind,
            slot,
            last: None,
            learned: VectorClock::default(),
        };
        for runs in runs.chunk_by(|a, b| a.first.memory == b.first.memory) {
            let history = match runs[0].first.memory {
                MemoryKind::Global => &mut self.global,
                MemoryKind::Gds => &mut self.gds,
                MemoryKind::Lds => &mut *lds,
                // Scratch is private to a lane.
                MemoryKind::Scratch => continue,
            };
            step.overwritten.used(wave, runs);
            match what {
                MemKind::Load => runs
                    .chunk_by(loads_the_same)
                    .for_each(|same| step.loads(history, &same[0])),
                MemKind::Store => runs.iter().for_each(|run| step.stores(history, run)),
                MemKind::Atomic(_) => step.atomics(history, runs),
            }
        }
        self.issue(wave, kind, runs);
    }

    /// Records that an instruction of a wave was issued: its writes are in flight.
    fn issue(&mut self, wave: u32, kind: Semantics, runs: &[AccessRun]) {
        let first = &runs[0].first;
        let writes = first.kind != MemKind::Load;
        // Scratch is private to a lane.
        let is_shared = |run: &AccessRun| run.first.memory != MemoryKind::Scratch;
        if writes && runs.iter().any(is_shared) {
            self.waves.writes(wave);
        }
        let in_flight = self.waves.in_flight(wave);
        let is_global = |run: &AccessRun| run.first.memory == MemoryKind::Global;
        match kind.is_counted {
            true => {
                in_flight.issue();
                if writes && runs.iter().any(is_global) {
                    in_flight.write(self.now);
                }
            }
            // Writes to scalar memory and GDS have other counters, and are not tracked.
            false if writes && first.memory != MemoryKind::Lds => in_flight.wait(0, self.now),
            false => {}
        }
    }

    /// Processes a wait instruction of a wave.
    fn wait(&mut self, wave: u32, pc: u64) {
        self.now = self.now.saturating_add(1);
        let most = self.kinds.at(pc).and_then(|(_, kind)| kind.waits_for);
        // An unknown instruction counts as a wait for all accesses.
        let in_flight = self.waves.in_flight(wave);
        in_flight.wait(most.unwrap_or(0).into(), self.now);
    }

    /// Processes a time slice of a wave, after which LDS has these contents.
    fn runs(&mut self, wave: WaveOf, runs: &[AccessRun], end: SliceEnd, contents: &Lds) {
        let wave = self.waves.number(wave);
        self.waves.begin_slice(wave, self.now);
        let lanes: usize = runs.iter().map(|run| usize::from(run.lanes)).sum();
        let accessed = u32::try_from(lanes).unwrap_or(u32::MAX);
        self.waves.fuel.earn(accessed.saturating_mul(Fuel::EACH));
        let mut lds = self.waves.lend_lds(wave).unwrap_or_default();
        let of = |run: &AccessRun| (run.first.pc, run.first.kind);
        for runs in runs.chunk_by(|a, b| of(a) == of(b)) {
            if runs[0].is_wait() {
                self.wait(wave, runs[0].first.pc);
            } else {
                self.step(wave, runs, &mut lds);
            }
        }
        self.values
            .end_slice(&mut self.global, (&mut lds, contents), &mut self.found);
        self.waves.return_lds(wave, Some(lds));
        self.now = self.now.saturating_add(1);
        self.waves.end_slice(wave, end, self.now);
        if let Some(lanes) = self.lanes.as_mut().filter(|_| end != SliceEnd::GoesOn) {
            lanes.forget(wave);
        }
    }
}

/// Returns the line of a place, or its distance from the start of the kernel.
fn whereabouts(place: &Place) -> String {
    let own = place.source.own();
    match (own.and_then(|own| Some((own, own.line?))), &place.symbol) {
        (Some((own, line)), _) => format!("{}:{line}", own.file),
        (None, Some((name, offset))) => format!("{}+{offset:#x}", readable(name)),
        (None, None) => format!("{:#x}", place.pc),
    }
}

/// Whether lanes load the same bytes as those of the previous run, so that nothing new can be found.
fn loads_the_same(before: &AccessRun, run: &AccessRun) -> bool {
    let bytes = |run: &AccessRun| (run.first.address, run.first.bytes, run.step, run.lanes);
    bytes(before) == bytes(run)
}

impl Watcher for Race {
    fn time_slice(&mut self, wave: WaveOf, records: &[AccessRecord], end: SliceEnd) {
        let runs = &AccessRun::all(records);
        self.runs(wave, runs, end, &Lds::new(0));
    }

    fn slice(&mut self, slice: &TimeSlice<'_>) {
        self.runs(slice.wave, slice.runs, slice.end, slice.lds);
    }

    fn scratch_begins(&mut self, bytes: Range<u64>) {
        if self.kept.is_some() {
            self.scratch.insert((bytes.start, bytes.end));
        }
        self.global.forget(bytes);
    }

    fn uncompared(&self, place: &dyn Fn(u64) -> Place) -> Option<Uncompared> {
        let coherent = self.coherent.iter().map(|number| self.kinds.pc(*number));
        Some(Uncompared {
            one_wave: self.lanes.is_none() && self.has_single_waves,
            coherent: coherent.map(|pc| whereabouts(&place(pc))).collect(),
            ..Uncompared::default()
        })
    }

    fn end(&mut self, findings: &mut Findings) {
        self.has_single_waves = self.waves.are_single();
        self.overwritten.end(&mut self.found);
        self.found
            .report(&self.kernel, &self.waves, &self.kinds, findings);
        if let Some(kept) = self.kept.take() {
            let mut history = std::mem::take(&mut self.global);
            for (start, end) in std::mem::take(&mut self.scratch) {
                history.forget(start..end);
            }
            let waves = std::mem::take(&mut self.waves);
            let pcs = self.kinds.pcs().to_vec();
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            *kept = Some(Footprint::new(history, pcs, waves));
        }
    }
}
